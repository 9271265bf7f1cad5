/** Which coins a payment takes, given what others hold, and the parents that it then needs. */
import { Effect, Result } from "effect"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { Claimant } from "../../../ports/chain/Treasury.ts"
import { MOST_FEE_RATE } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import type { Coin, Funding } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import { ancestorsOf, freeCoins } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { rateWithParents } from "../../../src/domain/families/bitcoin/treasury/JudgeBump.ts"
import { packageOf, PAID, virtualBytesIn } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { PaymentForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { fundFromPool } from "../../../src/domain/families/bitcoin/treasury/PoolCoins.ts"
import type { PoolPayment, PoolRule } from "../../../src/domain/families/bitcoin/treasury/PoolCoins.ts"
import { atHigherFee } from "../../../src/domain/families/bitcoin/treasury/ReplacePayment.ts"
import { storedForm } from "./SignSpending.ts"

export interface FundedPayment {
  readonly funding: Funding<Coin>
  readonly ancestors: ReadonlyArray<PaymentForm>
}

const refused = new PaymentRefused({ reason: "insufficient-funds" })

/** `confirmed`: the account's coins in blocks, claimed or not. Refused when those that are free do not suffice. */
export const fundPayment = Effect.fnUntraced(function*(
  confirmed: ReadonlyArray<Coin>,
  others: ReadonlyArray<Claimant>,
  payment: PoolPayment,
  rule: PoolRule
): Effect.fn.Return<FundedPayment, PaymentRefused> {
  const waiting = others.map(({ raw }) => storedForm(raw))
  const claimed = new Set<string>(others.flatMap(({ claims }) => claims))
  const free = freeCoins({ confirmed, waiting, claimed, script: payment.change })
  const funded = fundFromPool(free, payment, rule)
  if (Result.isFailure(funded)) return yield* refused
  const funding = funded.success
  const ancestors = ancestorsOf(funding.coins, waiting)
  if (ancestors.length === 0) return { funding, ancestors }
  // A miner takes it with its parents: it pays what they lack, as far as any transaction may pay.
  const size = virtualBytesIn({ inputs: funding.coins, outputs: funding.outputs })
  const rate = rateWithParents(packageOf(ancestors), size, payment.rate)
  if (rate <= payment.rate) return { funding, ancestors }
  const raised = atHigherFee({ funding, paid: PAID }, rate)
  if (rate > MOST_FEE_RATE || Result.isFailure(raised)) return yield* refused
  return { funding: raised.success, ancestors }
})
