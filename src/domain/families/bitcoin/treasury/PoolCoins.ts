/**
 * Which coins of the solver's pool pay, and how the change keeps the pool split (BITCOIN-10).
 *
 * Coins in blocks come first: the smallest one that suffices, so that large ones stay whole, else the fewest. Only when
 * they do not suffice a coin of unconfirmed change is taken, from a cluster that stays small: nodes refuse a transaction
 * with too many unconfirmed relatives.
 *
 * Coins suffice when they would pay a higher fee, too (BITCOIN-19): a replacement is paid out of the change alone, so a
 * payment without any would wait until blocks take its rate, for ever if the estimate was wrong. Pure.
 */
import * as Result from "effect/Result"
import { maxOf, minOf } from "../../../money/Rounding.ts"
import type { BtcOutput } from "../evidence/BtcTransaction.ts"
import { dustOf } from "../spending/Dust.ts"
import { countedRate, feeOf, FeeRate } from "../spending/FeeRate.ts"
import { fundOutputs } from "../spending/FundOutputs.ts"
import type { Coin, Funding, NotFunded } from "../spending/FundOutputs.ts"
import { virtualBytesOf, weightOf } from "../spending/TransactionSize.ts"

/** A coin of the solver's P2WPKH account that no payment claims. */
export interface PoolCoin extends Coin {
  /** Its unconfirmed relatives, if the transaction that made it is in no block. */
  readonly cluster: Cluster | undefined
}

/** Unconfirmed transactions that are related, in either direction. */
export interface Cluster {
  readonly name: string
  readonly transactions: number
}

/** How many coins the solver keeps, and of what size (BITCOIN-10). */
export interface PoolRule {
  /** How many coins the pool should have, so that as many payments can wait at once. */
  readonly coins: number
  /** The least that a coin of the pool should hold. Satoshi. */
  readonly least: bigint
  /** The most outputs of change that one payment makes. */
  readonly split: number
  /** The most transactions of a cluster with the new one. Below the 25 that older nodes relay (64 since Core 31). */
  readonly cluster: number
}

/** A payment of the solver, before its coins are chosen. */
export interface PoolPayment {
  /** The recipient, then the note. */
  readonly outputs: ReadonlyArray<BtcOutput>
  /** The solver's own script. */
  readonly change: Uint8Array
  readonly rate: FeeRate
  /** Its coins would pay this rate, too (`raisableTo`). At least `rate`. */
  readonly upTo: FeeRate
  /** Coins in blocks, of somebody else's script, that it spends in any case. None when absent. */
  readonly spent?: ReadonlyArray<PoolCoin> | undefined
}

const KIND = "P2WPKH" as const

/** The transactions of the new one's cluster, with itself. */
export const clusterWith = (coins: ReadonlyArray<PoolCoin>): number => {
  const clusters = new Map(coins.flatMap(({ cluster }) => cluster === undefined ? [] : [[cluster.name, cluster]]))
  return [...clusters.values()].reduce((sum, { transactions }) => sum + transactions, 1)
}

/** How many times its rate a payment's coins would pay: an estimate may be that much too low (BITCOIN-7, by default). */
const RAISED = 4n

/**
 * The rate that the coins of a payment would pay, too: at least four satoshi a virtual byte. No form of it offers more
 * than `ceiling` (BITCOIN-11).
 */
export const raisableTo = (rate: FeeRate, ceiling: FeeRate): FeeRate =>
  FeeRate(maxOf(rate, minOf(countedRate(rate) * RAISED, ceiling)))

/** The coins that suffice at the higher rate, all of them, at the payment's own. */
const fundedBy = (
  coins: ReadonlyArray<PoolCoin>,
  payment: PoolPayment
): Result.Result<Funding<PoolCoin>, NotFunded> => {
  const { rate, upTo } = payment
  const enough = fundOutputs({ ...payment, rate: upTo, coins, kind: KIND })
  if (Result.isFailure(enough) || rate === upTo) return enough
  const all = enough.success.coins
  return fundOutputs({ ...payment, spent: all.slice(0, -1), coins: all.slice(-1), kind: KIND })
}

/** The smallest coin that pays alone and leaves change, else the fewest. */
const fundedBest = (
  coins: ReadonlyArray<PoolCoin>,
  payment: PoolPayment
): Result.Result<Funding<PoolCoin>, NotFunded> => {
  const rising = coins.toSorted((left, right) => left.amount < right.amount ? -1 : left.amount > right.amount ? 1 : 0)
  for (const coin of rising) {
    const funded = fundedBy([coin], payment)
    if (Result.isSuccess(funded) && funded.success.outputs.length > payment.outputs.length) return funded
  }
  return fundedBy(coins, payment)
}

/** Divides the change, as far as the pool needs coins and each part is worth one. */
const splitChange = (
  funding: Funding<PoolCoin>,
  { change, outputs, rate }: PoolPayment,
  left: number,
  rule: PoolRule
): Funding<PoolCoin> => {
  const returned = funding.outputs[outputs.length]
  if (returned === undefined) return funding
  const inputs = funding.coins.map(() => KIND)
  for (let parts = Math.min(rule.split, rule.coins - left); parts > 1; parts -= 1) {
    const scripts = [...outputs.map(({ script }) => script), ...Array.from({ length: parts }, () => change)]
    const fee = feeOf(rate, virtualBytesOf(weightOf(inputs, scripts)))
    const held = returned.amount + funding.fee - fee
    const part = held / BigInt(parts)
    if (part < rule.least || part < dustOf(change)) continue
    // What does not divide stays with the first part.
    const parted = Array.from({ length: parts }, (_, at) => ({
      script: change,
      amount: at === 0 ? held - part * BigInt(parts - 1) : part
    }))
    return { coins: funding.coins, outputs: [...outputs, ...parted], fee }
  }
  return funding
}

/**
 * Coins, outputs and fee of one payment. Fails when the free coins do not cover it now: a payment that waits may free
 * some.
 */
export const fundFromPool = (
  coins: ReadonlyArray<PoolCoin>,
  payment: PoolPayment,
  rule: PoolRule
): Result.Result<Funding<PoolCoin>, NotFunded> => {
  const inBlocks = coins.filter(({ cluster }) => cluster === undefined)
  const joinable = coins.filter((coin) => coin.cluster !== undefined && clusterWith([coin]) <= rule.cluster)
  const confirmed = fundedBest(inBlocks, payment)
  const funded = Result.isSuccess(confirmed)
    ? confirmed
    // One unconfirmed coin joins one cluster, so the bound holds for the new transaction.
    : joinable.toSorted((left, right) => clusterWith([left]) - clusterWith([right]))
      .map((coin) => fundedBy([coin, ...inBlocks], payment)).find(Result.isSuccess) ?? confirmed
  return Result.map(funded, (funding) => {
    // SECURITY: anybody can send the account dust. It makes no payment, so it is no coin of the pool.
    const left = coins.filter((coin) => coin.amount >= rule.least && !funding.coins.includes(coin))
    return splitChange(funding, payment, left.length, rule)
  })
}
