/**
 * Transfers into a depository on exchange A that wait for their order (EXCHANGEA-10), and those whose order came after
 * the scan had passed them, until the scan's cursor shows that they are recorded. In memory: after a start, the first
 * scan goes back by the hour in which a mapping may come.
 *
 * SECURITY: anybody can send thousands of transfers without a mapping, for nothing. Each is looked up when it is seen.
 * Afterwards a scan looks up a limited number, in turn, and no transfer holds up another one.
 */
import { Effect } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { nameDeposit } from "./Deposits.ts"
import type { NamedBy, Unnamed } from "./Deposits.ts"
import type { Received } from "./ReceivedLedger.ts"

/** Lookups of waiting transfers in one scan. */
const AT_ONCE = 200

/** So many wait at most; the oldest are dropped, and are found by their id alone. */
const MOST_WAITING = 100_000

interface Told {
  readonly deposit: Deposit
  /** It is recorded once a scan begins here, seconds. Undefined while no scan that told it has moved the cursor. */
  readonly recordedAt: number | undefined
}

export class Sightings {
  /** The oldest first; one that was looked up goes to the end. */
  private readonly waiting = new Map<string, Unnamed>()
  private readonly told = new Map<string, Told>()
  /** The last second that this process has read. Undefined before its first scan. */
  readTo: number | undefined
  /** Transfers whose transactions were not read yet. */
  unread: ReadonlyArray<Received> = []

  /** Adds transfers that were read. */
  add(found: ReadonlyArray<Unnamed>): void {
    for (const each of found) {
      const { onchainId } = each.deposit
      if (!this.told.has(onchainId)) this.waiting.set(onchainId, each)
    }
    for (const oldest of this.waiting.keys()) {
      if (this.waiting.size <= MOST_WAITING) return
      this.waiting.delete(oldest)
    }
  }

  /** Transfers that are new to this process, then those that were looked up longest ago. */
  due(fresh: ReadonlyArray<Unnamed>): ReadonlyArray<Unnamed> {
    const isFresh = new Set(fresh.map(({ deposit }) => deposit.onchainId))
    const others = [...this.waiting.values()].filter(({ deposit }) => !isFresh.has(deposit.onchainId)).slice(0, AT_ONCE)
    return [...fresh, ...others]
  }

  /** Whether the transfer waits, or was told. */
  knows({ deposit: { onchainId } }: Unnamed): boolean {
    return this.waiting.has(onchainId) || this.told.has(onchainId)
  }

  stillWaits(unnamed: Unnamed): void {
    const { onchainId } = unnamed.deposit
    this.waiting.delete(onchainId)
    this.waiting.set(onchainId, unnamed)
  }

  tell(deposit: Deposit): void {
    this.waiting.delete(deposit.onchainId)
    if (!this.told.has(deposit.onchainId)) this.told.set(deposit.onchainId, { deposit, recordedAt: undefined })
  }

  /** What a scan returns that begins at `from` and ends at `to`, seconds. */
  toTell(from: number, to: number): ReadonlyArray<Deposit> {
    for (const [id, { recordedAt }] of this.told) {
      if (recordedAt !== undefined && from >= recordedAt) this.told.delete(id)
    }
    for (const [id, { deposit, recordedAt }] of this.told) {
      // A scan that does not move the cursor records nothing.
      if (recordedAt === undefined && to > from) this.told.set(id, { deposit, recordedAt: to })
    }
    return [...this.told.values()].map(({ deposit }) => deposit)
  }
}

/** Looks up the orders of transfers that a reading has found, and of those that wait. `now`: seconds of the exchange. */
export const nameSightings = Effect.fnUntraced(
  function*(
    sightings: Sightings,
    mappings: NamedBy,
    chain: Chain,
    found: ReadonlyArray<Unnamed>,
    now: number
  ): Effect.fn.Return<void, "behind"> {
    const fresh = found.filter((each) => !sightings.knows(each))
    sightings.add(fresh)
    const named = yield* Effect.forEach(
      sightings.due(fresh),
      (each) => Effect.map(nameDeposit(mappings, chain, each, now), (naming) => ({ each, naming })),
      { concurrency: 8 }
    )
    for (const { each, naming } of named) {
      if (naming._tag === "Waits") sightings.stillWaits(each)
      else sightings.tell(naming.deposit)
    }
  }
)
