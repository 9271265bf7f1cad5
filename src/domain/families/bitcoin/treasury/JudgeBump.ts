/**
 * When a payment that is in no block is replaced at a higher fee, and by what (BITCOIN-11, SAFE-5). Pure.
 *
 * A miner takes a transaction with its parents or not at all, so what counts is the lower of its own rate and the rate
 * of all of them together. A payment whose parents wait pays for them too.
 */
import * as Result from "effect/Result"
import { divCeil, maxOf } from "../../../money/Rounding.ts"
import type { ReplacementBounds } from "../../../transfer/payment/ReplacePayment.ts"
import { dustOf } from "../spending/Dust.ts"
import { countedRate, FeeRate, feeOf } from "../spending/FeeRate.ts"
import type { Coin, Funding } from "../spending/FundOutputs.ts"
import { coinsIn, feeIn, PAID, virtualBytesIn } from "./PaymentForm.ts"
import type { PaymentForm } from "./PaymentForm.ts"
import { atHigherFee, feeOfChild } from "./ReplacePayment.ts"

interface Paid {
  /** Satoshi. */
  readonly fee: bigint
  readonly virtualBytes: number
}

/** Of a form that a node's pool has: by itself, and with everything there that spends it. */
export interface PooledFees {
  readonly own: Paid
  readonly withChildren: Paid
}

/** A payment that waits, with its first and newest form. */
export interface PaymentToBump {
  readonly first: PaymentForm
  readonly newest: PaymentForm
  /** Those that wait, together. */
  readonly parents: Paid
  /** The pool lacks one of them: nodes refuse it by itself, and no fee of a child changes that. */
  readonly lacksParent: boolean
  /** The form that the pool has. It may be an older one, when nodes have refused the newest. */
  readonly pooled: PooledFees | undefined
  /** Milliseconds: when the newest form was signed, or when the payment was last seen in a block. */
  readonly since: number
}

/** The fee rate, and how far the chain has come. */
export interface BumpMarket {
  readonly rate: FeeRate
  /** The configured one of BITCOIN-7. */
  readonly ceiling: FeeRate
  /** Milliseconds: the newest block's own time. On a chain that stands still nothing is stuck. */
  readonly headTime: number
}

/** Whether a payment is replaced, and by which inputs and outputs (BITCOIN-11). */
export type Bump =
  | { readonly _tag: "Wait" }
  /** Its fee is at the ceiling, or its change does not pay for a higher one. */
  | { readonly _tag: "Exhausted" }
  | { readonly _tag: "Bump"; readonly funding: Funding<Coin> }

const paidBy = (form: PaymentForm): Paid => ({ fee: feeIn(form), virtualBytes: virtualBytesIn(form) })

/** Satoshi for a thousand virtual bytes, rounded down. */
export const rateOf = ({ fee, virtualBytes }: Paid): FeeRate => FeeRate(fee * 1_000n / BigInt(virtualBytes))

const least = (one: FeeRate, other: FeeRate): FeeRate => one < other ? one : other

const together = (one: Paid, other: Paid): Paid => ({
  fee: one.fee + other.fee,
  virtualBytes: one.virtualBytes + other.virtualBytes
})

/** What a miner gets for it at most: with its parents, and with its children where that is more. */
const offeredBy = ({ own, withChildren }: PooledFees, parents: Paid): FeeRate => {
  const rate = (paid: Paid) => least(rateOf(paid), rateOf(together(paid, parents)))
  return FeeRate(maxOf(rate(own), rate(withChildren)))
}

/** The rate at which a payment of this size also lifts its parents to `wanted`. */
export const rateWithParents = (parents: Paid, virtualBytes: number, wanted: FeeRate): FeeRate =>
  FeeRate(divCeil(feeOfChild(parents, virtualBytes, wanted) * 1_000n, BigInt(virtualBytes)))

const fundingOf = (form: PaymentForm): Funding<Coin> => ({
  coins: coinsIn(form),
  outputs: form.outputs,
  fee: feeIn(form)
})

/**
 * The payment at the rate, or at the most that its change pays. Never above the ceiling: the fee is compared, because a
 * rate of whole satoshi seldom divides. Undefined where no higher fee is possible.
 */
const raisedWithin = (
  form: PaymentForm,
  evicted: bigint | undefined,
  wanted: FeeRate,
  ceiling: FeeRate
): Funding<Coin> | undefined => {
  const payment = form.outputs.slice(0, PAID)
  const [change] = form.outputs.slice(PAID)
  const held = feeIn(form) + form.outputs.slice(PAID).reduce((sum, { amount }) => sum + amount, 0n)
  const sizeWith = (outputs: PaymentForm["outputs"]) => virtualBytesIn({ inputs: form.inputs, outputs })
  const rates = change === undefined ? [] : [
    wanted,
    // Without change, which pays all that it has.
    rateOf({ fee: held, virtualBytes: sizeWith(payment) }),
    // With the least change that there may be: without it the fee may be above the ceiling.
    rateOf({ fee: held - dustOf(change.script), virtualBytes: sizeWith([...payment, change]) })
  ]
  return rates
    .map((rate) => atHigherFee({ funding: fundingOf(form), paid: PAID, evicted }, least(rate, wanted)))
    .flatMap((raised) => Result.isSuccess(raised) ? [raised.success] : [])
    .find(({ coins, fee, outputs }) => fee <= feeOf(ceiling, virtualBytesIn({ inputs: coins, outputs })))
}

/**
 * Every form of a payment stays at or below the ceiling: a multiple of the first rate, and the configured one.
 */
export const judgeBump = (
  { first, lacksParent, newest, parents, pooled, since }: PaymentToBump,
  { ceiling: most, headTime, rate }: BumpMarket,
  { ceilingFactor, pricedOutMs, stuckMs }: ReplacementBounds,
  now: number
): Bump => {
  if (lacksParent) return { _tag: "Wait" }
  const own = paidBy(newest)
  const offered = offeredBy(pooled ?? { own, withChildren: own }, parents)
  if (Math.min(now, headTime) - since < (offered < rate ? pricedOutMs : stuckMs)) return { _tag: "Wait" }
  const ceiling = least(FeeRate(countedRate(rateOf(paidBy(first))) * ceilingFactor), most)
  const wanted = least(rateWithParents(parents, own.virtualBytes, rate), ceiling)
  const funding = raisedWithin(newest, pooled?.withChildren.fee, wanted, ceiling)
  return funding === undefined ? { _tag: "Exhausted" } : { _tag: "Bump", funding }
}
