import { ethereumFacts } from "./testing/EthereumFacts.ts"
import { negativeSuite } from "./testing/NegativeFamily.ts"

negativeSuite(ethereumFacts)
