/**
 * What users do with a deposit address: pay it as asked, or in one of the ways in which people and exchanges do it
 * otherwise. Who has sent another currency, or on another chain, asks for a reindex until the money has been moved.
 */
import { Effect, Result } from "effect"
import { ledgerAddresses } from "../../../../examples/ledger-vm/rules/LedgerAddresses.ts"
import { accountOn, unitsOf } from "../../../../examples/ledger-vm/ledger/Ledger.ts"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { Reindexing } from "../../../../src/services/deposit-addresses/Reindexing.ts"
import type { SimulatedChain } from "../../Chain.ts"
import type { Dice } from "../../Dice.ts"
import type { Use } from "../../Processes.ts"
import { chainIds, currencies, halfMicros, slugs, users } from "../../Terms.ts"
import type { AnySlug, Slug } from "../../Terms.ts"
import { sponsorKey } from "../Sponsor.ts"

/** The ways to pay a deposit address. */
export const addressManners = [
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
  "wrong-chain"
] as const
export type AddressManner = (typeof addressManners)[number]

/** What somebody has quoted at a deposit address. */
export interface Addressed<Origin extends AnySlug = AnySlug> {
  readonly address: Address
  readonly origin: Origin
  readonly isSponsored: boolean
  /** True once the service has forgotten it: it was quoted after a backup that was restored. */
  readonly isForgotten?: () => boolean
}

export interface PaidToAddress {
  /** A user's number. */
  readonly by: number
  readonly on: Slug
  readonly currency: string
  /** Smallest units. */
  readonly amount: bigint
  /** Milliseconds of waiting before it. */
  readonly after: number
}

/** In the order of `slugs`. */
export const otherChain = (slug: Slug): Slug => slug === slugs[0] ? slugs[1] : slugs[0]
export const otherCurrency = (currency: string): string => currency === currencies[0] ? currencies[1] : currencies[0]

/** Worth less than what a sweep costs, in both currencies. */
const dust = (dice: Dice): bigint => BigInt(dice.between(1, 999))

type UsualManner = Exclude<AddressManner, "wrong-currency" | "wrong-chain">

/** The ways in which the right currency comes to the right chain. `dustOf`: not worth its sweep. */
export const paidAsUsual = <Paid extends Pick<PaidToAddress, "by" | "amount" | "after">>(
  manner: UsualManner,
  one: Paid,
  dice: Dice,
  dustOf: (dice: Dice) => bigint
): ReadonlyArray<Paid> => {
  const later = (withinMs: number) => ({ ...one, after: dice.between(0, withinMs) })
  switch (manner) {
    case "exact":
      return [one]
    case "too-little":
      return [{ ...one, amount: one.amount / BigInt(dice.between(2, 20)) }]
    case "too-much":
      return [{ ...one, amount: one.amount * 2n }]
    case "twice":
      return [one, later(90_000)]
    case "late":
      return [{ ...one, after: dice.between(30_000, 120_000) }]
    case "never":
      return []
    case "dust":
      return [{ ...one, amount: dustOf(dice) }, { ...one, amount: dustOf(dice) }, later(60_000)]
    case "by-another":
      return [{ ...one, by: (one.by + 1) % users.length }, later(30_000)]
    case "at-once":
      return Array.from(
        { length: 3 },
        (_, nth) => ({ ...one, by: (one.by + nth) % users.length, amount: one.amount / 3n })
      )
    // Each is quoted when it has arrived, while the next one comes.
    case "again-and-again":
      return Array.from({ length: dice.between(3, 5) }, () => ({
        ...later(180_000),
        amount: one.amount / BigInt(dice.between(1, 10))
      }))
  }
}

/** `one`: what was asked for. */
export const paidToAddress = (manner: AddressManner, one: PaidToAddress, dice: Dice): ReadonlyArray<PaidToAddress> => {
  const later = (withinMs: number) => ({ ...one, after: dice.between(0, withinMs) })
  switch (manner) {
    case "wrong-currency":
      return [{ ...one, currency: otherCurrency(one.currency) }, ...dice.chance(0.5) ? [later(60_000)] : []]
    case "wrong-chain":
      return [{ ...one, on: otherChain(one.on) }, ...dice.chance(0.5) ? [later(60_000)] : []]
    default:
      return paidAsUsual(manner, one, dice, dust)
  }
}

/** Asks for a reindex, as whoever knows the key that the address was quoted with. Undefined when it is refused. */
export const reindex = (use: Use, { address, isSponsored, origin }: Addressed, target: AnySlug, currency?: string) =>
  use(Effect.flatMap(Reindexing, (reindexing) =>
    reindexing.reindex({
      chainId: ChainId.make(chainIds[origin]),
      depositAddress: address,
      ...(target === origin ? {} : { targetChainId: ChainId.make(chainIds[target]) }),
      ...(currency === undefined ? {} : { currency })
    }, { _tag: "Known", keyId: isSponsored ? sponsorKey.id : undefined })))

/** Half micro-dollars: less may stay at an address, because it is not worth twice what its sweep costs. */
export const LEFT_AT_ADDRESS = 4_000n

/** What an address has of a currency, half micro-dollars. */
export const worthAt = ({ state }: SimulatedChain, address: string, currency: string): bigint => {
  const [holder, of] = [ledgerAddresses.parse(address), ledgerAddresses.parseCurrency(currency)]
  return Result.isSuccess(holder) && Result.isSuccess(of)
    ? unitsOf(accountOn(state(), holder.success), of.success) * halfMicros(currency)
    : 0n
}

/** A refused reindex is asked for again after a minute. */
export const AGAIN_MS = 61_000

/** Asks for reindexes until the address has nothing more of this currency. */
export const reindexUntilMoved = Effect.fnUntraced(function*(
  use: Use,
  at: Addressed,
  chain: SimulatedChain,
  target: Slug,
  currency: string
) {
  while (worthAt(chain, at.address, currency) > LEFT_AT_ADDRESS && at.isForgotten?.() !== true) {
    yield* reindex(use, at, target)
    yield* Effect.sleep(AGAIN_MS)
  }
})
