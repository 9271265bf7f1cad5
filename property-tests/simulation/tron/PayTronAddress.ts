/**
 * What users do with a deposit address on Tron: pay it as asked, or in one of the ways in which people and exchanges do
 * it otherwise. Money counts there once it is solidified, and TRX once they are worth a sweep.
 */
import { Effect, Result } from "effect"
import type { RawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Dice } from "../Dice.ts"
import { AGAIN_MS, paidAsUsual, reindex } from "../flows/addresses/PayAddress.ts"
import type { Addressed } from "../flows/addresses/PayAddress.ts"
import type { Use } from "../Processes.ts"
import { tron, tronUsdt } from "../Terms.ts"
import { isLeft } from "./SweptLaw.ts"
import { accounts, tokenIn } from "./Terms.ts"
import type { TronKey } from "./Terms.ts"
import type { TronChain } from "./TronChain.ts"
import { payUntilSettled, signOn, tokenTransferOf, transferOf } from "./TronWallet.ts"

/** The ways to pay a deposit address on Tron. */
export const tronAddressManners = [
  "exact",
  "too-little",
  "too-much",
  "twice",
  "late",
  "never",
  "dust",
  "by-another",
  "at-once",
  "again-and-again",
  "wrong-currency",
  "reindexed",
  "in-bits"
] as const
export type TronAddressManner = (typeof tronAddressManners)[number]

export interface PaidOnTron {
  /** A user's number. */
  readonly by: number
  readonly currency: string
  /** Smallest units. */
  readonly amount: bigint
  /** Milliseconds of waiting before it. */
  readonly after: number
}

/** Less than a sweep of TRX costs, so that none of it counts by itself. */
const MOST_DUST = 20_000
/** So many times that much is worth a sweep, in both currencies. */
const BITS = 24

/** Not worth a sweep, by itself. */
export const tronDust = (dice: Dice): bigint => BigInt(dice.between(1, MOST_DUST))

/** ODD is left out: no sweep brings the whole of it to the depository, so it stays where it is. */
export const otherOnTron = (currency: string): string => currency === tron ? tronUsdt : tron

/** `one`: what was asked for. */
export const paidToTronAddress = (
  manner: TronAddressManner,
  one: PaidOnTron,
  dice: Dice
): ReadonlyArray<PaidOnTron> => {
  switch (manner) {
    case "wrong-currency":
      return [
        { ...one, currency: otherOnTron(one.currency) },
        ...dice.chance(0.5) ? [{ ...one, after: dice.between(0, 60_000) }] : []
      ]
    case "reindexed":
      return [one]
    case "in-bits":
      return Array.from({ length: BITS }, () => ({ ...one, amount: tronDust(dice), after: dice.between(0, 90_000) }))
    default:
      return paidAsUsual(manner, one, dice, tronDust)
  }
}

/** The plain transfer that pays an address. */
export const toAddressOf = (by: TronKey, address: Address, currency: string, amount: bigint): RawData["act"] => {
  const [to, token] = [Result.getOrThrow(accountOfTron(address)), tokenIn(currency)]
  return token === undefined ? transferOf(by, to, amount) : tokenTransferOf(by, token, to, amount)
}

interface Paying {
  readonly chain: TronChain
  readonly use: Use
  readonly tell: (event: string) => void
  /** Called for each payment that is signed. */
  readonly onSent: (address: Address, paid: PaidOnTron) => void
  /** Tells transactions of one content apart. */
  readonly nextNumber: () => number
}

interface Quoted extends Pick<PaidOnTron, "by" | "currency" | "amount"> {
  /** What the quote asks to sign. Whoever pays otherwise signs something else. */
  readonly asked: RawData["act"] | undefined
}

export const paysAtTronAddress = ({ chain, nextNumber, onSent, tell, use }: Paying) => {
  const pay = Effect.fnUntraced(
    function*(address: Address, paid: PaidOnTron, asked: RawData["act"] | undefined) {
      const { amount, by, currency } = paid
      const key = accounts[by]
      if (key === undefined) return
      tell(`user ${by} sends ${amount} of ${currency} on tron to ${address}`)
      onSent(address, paid)
      const act = asked ?? toAddressOf(key, address, currency, amount)
      yield* payUntilSettled(chain, () => signOn(chain, key, act, nextNumber()))
    }
  )

  /** The watcher looks for the quoted currency alone. Another one is moved by reindexes. */
  const reindexUntilMoved = Effect.fnUntraced(function*(at: Addressed, currency: string) {
    while (isLeft(chain, at.address, currency) && at.isForgotten?.() !== true) {
      yield* reindex(use, at, "tron")
      yield* Effect.sleep(AGAIN_MS)
    }
  })

  /** Its owner is impatient. */
  const reindexSoon = (at: Addressed, own: Dice) =>
    Effect.forEach(
      Array.from({ length: own.between(1, 4) }, () => own.between(0, 60_000)),
      (after) => Effect.delay(reindex(use, at, "tron"), after),
      { discard: true }
    )

  /** Ends when all is settled, and what the watcher does not look for has been moved. */
  return (at: Addressed, manner: TronAddressManner, { asked, ...quoted }: Quoted, own: Dice): Effect.Effect<void> =>
    Effect.forEach(
      paidToTronAddress(manner, { ...quoted, after: own.between(0, 5_000) }, own),
      (paid) => {
        const { amount, by, currency } = paid
        const isAsAsked = by === quoted.by && amount === quoted.amount && currency === quoted.currency
        return Effect.suspend(() => pay(at.address, paid, isAsAsked ? asked : undefined)).pipe(
          Effect.delay(paid.after),
          Effect.andThen(currency === quoted.currency ? Effect.void : reindexUntilMoved(at, currency))
        )
      },
      { concurrency: "unbounded", discard: true }
    ).pipe(
      Effect.zipWith(manner === "reindexed" ? reindexSoon(at, own) : Effect.void, () => undefined, { concurrent: true })
    )
}
