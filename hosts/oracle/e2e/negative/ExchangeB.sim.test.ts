import { exchangeBFacts, exchangeBWithdrawalFacts } from "./testing/ExchangeBFacts.ts"
import { negativeSuite } from "./testing/NegativeFamily.ts"
import { negativeWithdrawals } from "./testing/NegativeWithdrawals.ts"

negativeSuite(exchangeBFacts)
negativeWithdrawals(exchangeBWithdrawalFacts)
