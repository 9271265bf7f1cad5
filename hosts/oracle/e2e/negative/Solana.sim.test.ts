import { negativeSuite } from "./testing/NegativeFamily.ts"
import { negativeWithdrawals } from "./testing/NegativeWithdrawals.ts"
import { solanaFacts } from "./testing/SolanaFacts.ts"
import { solanaWithdrawalFacts } from "./testing/SolanaWithdrawalFacts.ts"

negativeSuite(solanaFacts)
negativeWithdrawals(solanaWithdrawalFacts)
