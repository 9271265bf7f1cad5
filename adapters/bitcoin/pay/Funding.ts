/** Which coins a payment takes, given what others hold, and the parents that it then needs. */
import { Effect, Result } from "effect"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { Claimant } from "../../../ports/chain/Treasury.ts"
import type { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import type { Coin, Funding } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import type { SpendingInputs } from "../../../src/domain/families/bitcoin/treasury/DeadPayment.ts"
import { ancestorsOf, freeCoins } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { rateWithParents } from "../../../src/domain/families/bitcoin/treasury/JudgeBump.ts"
import { packageOf, PAID, virtualBytesIn } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { PaymentForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { fundFromPool, raisableTo } from "../../../src/domain/families/bitcoin/treasury/PoolCoins.ts"
import type { PoolPayment, PoolRule } from "../../../src/domain/families/bitcoin/treasury/PoolCoins.ts"
import { atHigherFee } from "../../../src/domain/families/bitcoin/treasury/ReplacePayment.ts"
import { storedForm } from "./SignSpending.ts"
import { neededBy } from "./UnfinalMakers.ts"
import type { Makers } from "./UnfinalMakers.ts"

export interface FundedPayment {
  readonly funding: Funding<Coin>
  /** The parents that wait, and what made its coins in blocks that are not final. */
  readonly needs: {
    readonly ancestors: ReadonlyArray<PaymentForm>
    readonly makers: ReadonlyArray<SpendingInputs>
  }
}

const refused = new PaymentRefused({ reason: "insufficient-funds" })

/**
 * `confirmed`: the account's coins in blocks, claimed or not. `makers`: of those that are not final. Refused when those
 * that are free do not suffice, also for a replacement (BITCOIN-19), or when their parents lack more than a rate at the
 * ceiling pays.
 */
export const fundPayment = Effect.fnUntraced(function*(
  confirmed: ReadonlyArray<Coin>,
  makers: Makers,
  others: ReadonlyArray<Claimant>,
  payment: Omit<PoolPayment, "upTo">,
  rule: PoolRule,
  ceiling: FeeRate
): Effect.fn.Return<FundedPayment, PaymentRefused> {
  const waiting = others.map(({ raw }) => storedForm(raw))
  const claimed = new Set<string>(others.flatMap(({ claims }) => claims))
  const free = freeCoins({ confirmed, waiting, claimed, script: payment.change })
  const funded = fundFromPool(free, { ...payment, upTo: raisableTo(payment.rate, ceiling) }, rule)
  if (Result.isFailure(funded)) return yield* refused
  const funding = funded.success
  const ancestors = ancestorsOf(funding.coins, waiting)
  const ids = new Set(ancestors.map(({ id }) => id))
  const ofAncestors = waiting.flatMap((each) => ids.has(each.form.id) ? each.makers ?? [] : [])
  const needed = [...ofAncestors, ...neededBy(funding.coins, makers)]
  const needs = { ancestors, makers: [...new Map(needed.map((each) => [each.id, each])).values()] }
  if (ancestors.length === 0) return { funding, needs }
  // A miner takes it with its parents: it pays what they lack, as far as any transaction may pay.
  const size = virtualBytesIn({ inputs: funding.coins, outputs: funding.outputs })
  const rate = rateWithParents(packageOf(ancestors), size, payment.rate)
  if (rate <= payment.rate) return { funding, needs }
  const raised = atHigherFee({ funding, paid: PAID }, rate)
  if (rate > ceiling || Result.isFailure(raised)) return yield* refused
  return { funding: raised.success, needs }
})
