/**
 * Which coins pay for outputs, what comes back as change, and what is left as the fee (BITCOIN-6).
 *
 * Coins of one owner, largest first, until they cover outputs and fee: it finds coins whenever some do, and takes the
 * fewest. A coin that costs more to spend than it holds is never taken. Change that would be dust is left to the fee.
 * Pure; the same coins in any order give the same transaction.
 */
import * as Result from "effect/Result"
import type { KeyPlace } from "../../../deposit-address/HardenedKeys.ts"
import type { BtcOutpoint, BtcOutput } from "../evidence/BtcTransaction.ts"
import { dustOf } from "./Dust.ts"
import { feeOf } from "./FeeRate.ts"
import type { FeeRate } from "./FeeRate.ts"
import type { KeyScriptKind } from "./KeyScript.ts"
import { MOST_WEIGHT, virtualBytesOf, weightOf } from "./TransactionSize.ts"

/** An unspent output. */
export interface Coin extends BtcOutpoint {
  /** Satoshi. */
  readonly amount: bigint
  /** Where its key is derived, for a coin of a deposit address; absent for a coin of the account that pays. */
  readonly key?: KeyPlace | undefined
}

/** Outputs, and the coins that may pay for them. */
export interface Wanted<C extends Coin> {
  /** All of one owner, each once. */
  readonly coins: ReadonlyArray<C>
  /** Coins of the same kind that are spent in any case, whoever has them: the first inputs. None when absent. */
  readonly spent?: ReadonlyArray<C> | undefined
  readonly kind: KeyScriptKind
  readonly outputs: ReadonlyArray<BtcOutput>
  /** The owner's script. */
  readonly change: Uint8Array
  readonly rate: FeeRate
}

/** A transaction's inputs and outputs, before it is signed. */
export interface Funding<C extends Coin> {
  /** In the order of the inputs. */
  readonly coins: ReadonlyArray<C>
  /** The wanted outputs, then the change if there is any. */
  readonly outputs: ReadonlyArray<BtcOutput>
  /** Satoshi, all of it. */
  readonly fee: bigint
}

/** Why the coins do not suffice, or the transaction would not be relayed. */
export type NotFunded =
  /** `needed`: what the outputs hold. `payable`: the most that the coins can pay besides the fee. Satoshi. */
  | { readonly _tag: "Insufficient"; readonly needed: bigint; readonly payable: bigint }
  /** So many coins would be needed that no node relays the transaction. */
  | { readonly _tag: "TooLarge"; readonly coins: number }
  /** An output that no node relays. `least`: what it must hold. Satoshi. */
  | { readonly _tag: "Dust"; readonly amount: bigint; readonly least: bigint }

const sum = (amounts: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  amounts.reduce((total, { amount }) => total + amount, 0n)

/** An order of coins that depends on nothing else. */
export const largestFirst = (left: Coin, right: Coin): number => {
  if (left.amount !== right.amount) return left.amount > right.amount ? -1 : 1
  if (left.transactionId !== right.transactionId) return left.transactionId < right.transactionId ? -1 : 1
  return left.index - right.index
}

/** The weight with so many inputs, without change and with it. */
const weightsOf = ({ change, kind, outputs }: Wanted<Coin>, inputs: number) => {
  const kinds = Array.from({ length: inputs }, () => kind)
  const scripts = outputs.map(({ script }) => script)
  return { without: weightOf(kinds, scripts), with: weightOf(kinds, [...scripts, change]) }
}

/** Coins, outputs and fee of a transaction. Fails when nothing that nodes relay can be made. */
export const fundOutputs = <C extends Coin>(wanted: Wanted<C>): Result.Result<Funding<C>, NotFunded> => {
  const { change: script, outputs, rate, spent = [] } = wanted
  const dust = outputs.find((each) => each.amount < dustOf(each.script))
  if (dust !== undefined) return Result.fail({ _tag: "Dust", amount: dust.amount, least: dustOf(dust.script) })
  const needed = sum(outputs)
  const sorted = wanted.coins.toSorted(largestFirst)
  let [held, payable] = [sum(spent), 0n]
  for (const [at, coin] of sorted.entries()) {
    held += coin.amount
    const weights = weightsOf(wanted, spent.length + at + 1)
    if (weights.with > MOST_WEIGHT) return Result.fail({ _tag: "TooLarge", coins: sorted.length })
    const most = held - feeOf(rate, virtualBytesOf(weights.without))
    if (most > payable) payable = most
    if (most < needed) continue
    const coins = [...spent, ...sorted.slice(0, at + 1)]
    const fee = feeOf(rate, virtualBytesOf(weights.with))
    const amount = held - needed - fee
    return Result.succeed(
      amount < dustOf(script)
        ? { coins, outputs, fee: held - needed }
        : { coins, outputs: [...outputs, { script, amount }], fee }
    )
  }
  return Result.fail({ _tag: "Insufficient", needed, payable })
}
