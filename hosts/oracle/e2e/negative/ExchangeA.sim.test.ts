import { exchangeAFacts, exchangeAWithdrawalFacts } from "./testing/ExchangeAFacts.ts"
import { negativeSuite } from "./testing/NegativeFamily.ts"
import { negativeWithdrawals } from "./testing/NegativeWithdrawals.ts"

negativeSuite(exchangeAFacts)
negativeWithdrawals(exchangeAWithdrawalFacts)
