import { negativeSuite } from "./testing/NegativeFamily.ts"
import { negativeWithdrawals } from "./testing/NegativeWithdrawals.ts"
import { tronFacts } from "./testing/TronFacts.ts"
import { tronWithdrawalFacts } from "./testing/TronWithdrawalFacts.ts"

negativeSuite(tronFacts)
negativeWithdrawals(tronWithdrawalFacts)
