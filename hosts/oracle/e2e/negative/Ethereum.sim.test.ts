import { ethereumFacts } from "./testing/EthereumFacts.ts"
import { ethereumWithdrawalFacts } from "./testing/EthereumWithdrawalFacts.ts"
import { negativeSuite } from "./testing/NegativeFamily.ts"
import { negativeWithdrawals } from "./testing/NegativeWithdrawals.ts"

negativeSuite(ethereumFacts)
negativeWithdrawals(ethereumWithdrawalFacts)
