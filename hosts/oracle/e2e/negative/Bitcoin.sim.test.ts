import { bitcoinFacts } from "./testing/BitcoinFacts.ts"
import { bitcoinWithdrawalFacts } from "./testing/BitcoinWithdrawalFacts.ts"
import { negativeSuite } from "./testing/NegativeFamily.ts"
import { negativeWithdrawals } from "./testing/NegativeWithdrawals.ts"

negativeSuite(bitcoinFacts)
negativeWithdrawals(bitcoinWithdrawalFacts)
