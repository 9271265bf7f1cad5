/**
 * A payment at a higher fee (BITCOIN-11): it spends exactly the same coins, pays the same outputs, and takes the
 * difference from the change. So at most one of its forms is ever in a block, and none needs more money.
 *
 * Never for a payment with unconfirmed descendants: a replacement would kill them. Its child pays for it instead, by a
 * fee that lifts both to the rate.
 */
import * as Result from "effect/Result"
import { maxOf } from "../../../money/Rounding.ts"
import { dustOf } from "../spending/Dust.ts"
import { feeOf, FeeRate } from "../spending/FeeRate.ts"
import type { Coin, Funding } from "../spending/FundOutputs.ts"
import { virtualBytesOf, weightOf } from "../spending/TransactionSize.ts"

/** What nodes ask for relaying a replacement, on top of the fees that it replaces (BIP-125, rule 4). */
const RELAY = FeeRate(1_000n)

/** A payment, and which of its outputs must stay. */
export interface PaymentToReplace<C extends Coin> {
  readonly funding: Funding<C>
  /** How many of its outputs are the payment: the recipient and the note. The others are change. */
  readonly paid: number
  /**
   * Satoshi: the fees of everything that a node evicts for the replacement, where that is more than the payment's own
   * fee. Nodes take no replacement that pays less (BIP-125, rule 3).
   */
  readonly evicted?: bigint | undefined
}

/** Why there is no replacement (BITCOIN-11). */
export type NotReplaced =
  /** The change does not cover the difference. `needed` and `change` in satoshi. */
  { readonly _tag: "Exhausted"; readonly needed: bigint; readonly change: bigint }

const KIND = "P2WPKH" as const

const sizeOf = <C extends Coin>({ coins }: Funding<C>, scripts: ReadonlyArray<Uint8Array>): number =>
  virtualBytesOf(weightOf(coins.map(() => KIND), scripts))

/** The same payment at the rate, or at the next higher fee that nodes take if that is more. */
export const atHigherFee = <C extends Coin>(
  { evicted = 0n, funding, paid }: PaymentToReplace<C>,
  rate: FeeRate
): Result.Result<Funding<C>, NotReplaced> => {
  const { coins, fee: before, outputs } = funding
  const payment = outputs.slice(0, paid)
  const change = outputs.slice(paid)
  const held = before + change.reduce((sum, { amount }) => sum + amount, 0n)
  const scripts = payment.map(({ script }) => script)
  const sizeBefore = BigInt(sizeOf(funding, outputs.map(({ script }) => script)))
  const feeWith = (parts: number) => {
    const size = sizeOf(funding, [...scripts, ...change.slice(0, parts).map(({ script }) => script)])
    const wanted = feeOf(rate, size)
    // Above all fees that it replaces by the relay's price, and above the old rate.
    const absolute = maxOf(before, evicted) + feeOf(RELAY, size)
    const byRate = before * BigInt(size) / sizeBefore + 1n
    return [wanted, absolute, byRate].reduce((most, each) => each > most ? each : most)
  }
  for (let parts = change.length; parts >= 0; parts -= 1) {
    const fee = feeWith(parts)
    const left = held - fee
    const [first] = change
    if (parts === 0 || first === undefined) {
      return left < 0n
        ? Result.fail({ _tag: "Exhausted", needed: fee, change: held - before })
        : Result.succeed({ coins, outputs: payment, fee: held })
    }
    const others = change.slice(1, parts)
    const amount = left - others.reduce((sum, each) => sum + each.amount, 0n)
    if (amount < dustOf(first.script)) continue
    return Result.succeed({ coins, outputs: [...payment, { script: first.script, amount }, ...others], fee })
  }
  return Result.fail({ _tag: "Exhausted", needed: feeWith(0), change: held - before })
}

/** What a child must pay so that it and its parents together pay the rate, and never less than the rate by itself. */
export const feeOfChild = (
  parents: { readonly virtualBytes: number; readonly fee: bigint },
  childBytes: number,
  rate: FeeRate
): bigint => {
  const own = feeOf(rate, childBytes)
  const together = feeOf(rate, parents.virtualBytes + childBytes) - parents.fee
  return together > own ? together : own
}
