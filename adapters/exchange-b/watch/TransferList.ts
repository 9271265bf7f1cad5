/**
 * The transfers into a depository as one endpoint of exchange B lists them (EXCHANGEB-7): newest first, in pages that
 * continue only from the one before. What was read is remembered, so that a scan reads what is new, and a long list is
 * read over several scans.
 */
import { Effect, Result, Schema, Semaphore } from "effect"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { families } from "../../../src/domain/families/index.ts"
import { mayFlowIn, TransfersAnswer } from "../decode/AccountAnswers.ts"
import { undecodable } from "../observe/ReadTransaction.ts"
import type { ExchangeBClient, TokenHolder } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBFault } from "../rpc/ExchangeBRpc.ts"

const decodePage = Schema.decodeUnknownEffect(TransfersAnswer)
type Page = typeof TransfersAnswer.Type

/** Pages that one scan reads. */
const MOST_PAGES = 20

/** Transfers that are remembered. Beyond that the list is read from its newest page again. */
const MOST_KNOWN = 100_000

/** By which a transfer may be listed after a newer one. So much of what is known is read again, in so many pages. */
const LATE_MS = 120_000
const LATE_PAGES = 3

export interface Listed {
  readonly id: TransactionId
  /** Milliseconds. */
  readonly time: number
  /** False for what the depository itself has sent, and for what is no transfer of another account. */
  readonly isDeposit: boolean
}

interface Known extends Listed {
  /** The list's own order, which tells transfers of one time apart: larger for what was listed later. */
  readonly rank: number
}

/** The hash was decoded from hex digits. */
const idOf = (hash: string): TransactionId => Result.getOrThrow(parseTransactionId(families["exchangeb-vm"], hash))

const listedIn = ({ transfers }: Page, depository: string): ReadonlyArray<Listed> =>
  transfers.flatMap((each) => {
    if (!("tx_hash" in each)) return []
    const { from_account_index: from, timestamp, to_account_index: to, tx_hash } = each
    const isDeposit = mayFlowIn(each) && to.toString() === depository && from !== to
    return [{ id: idOf(tx_hash), time: timestamp, isDeposit }]
  })

/** Where the next page begins. Undefined after the last one. */
const nextOf = ({ cursor, transfers }: Page): string | undefined =>
  cursor === undefined || cursor === "" || transfers.length === 0 ? undefined : cursor

const oldestFirst = (one: Known, other: Known): number => one.time - other.time || one.rank - other.rank

export class TransferList {
  /** Without a gap from the newest that was read to `older`. */
  private readonly known = new Map<TransactionId, Known>()
  /** The next ranks. */
  private rank = { newer: 0, older: -1 }
  /** Where the list goes on behind the oldest that is known. Undefined at its end, and before the first read. */
  private older: string | undefined
  private oldest = Infinity
  /** Reads of one list take turns: each changes what the next one begins with. */
  private readonly turn = Semaphore.makeUnsafe(1)

  /**
   * The deposits of that time and later, oldest first. `since`: milliseconds. Fails as `behind` while there is more than
   * one read takes: the next one goes on.
   */
  since(
    client: ExchangeBClient,
    holder: TokenHolder,
    since: number,
    deadline: number
  ): Effect.Effect<ReadonlyArray<Listed>, ExchangeBFault> {
    const pageAt = (cursor: string | undefined) =>
      Effect.flatMap(client.transfers(holder, cursor, deadline), (said) => undecodable(decodePage(said)))
    return Effect.gen({ self: this }, function*() {
      if (this.known.size > MOST_KNOWN) this.forget()
      yield* this.readNewer(pageAt, holder.account)
      for (let pages = 0; this.older !== undefined && this.oldest >= since; pages += 1) {
        if (pages === MOST_PAGES) return yield* Effect.fail("behind" as const)
        const page = yield* pageAt(this.older)
        this.addOlder(listedIn(page, holder.account))
        this.older = nextOf(page)
      }
      return [...this.known.values()].filter(({ isDeposit, time }) => isDeposit && time >= since).toSorted(oldestFirst)
    }).pipe(this.turn.withPermits(1))
  }

  /** From the newest back to what is known. Where that is too far, it is forgotten. */
  private readNewer(
    pageAt: (cursor: string | undefined) => Effect.Effect<Page, ExchangeBFault>,
    account: string
  ): Effect.Effect<void, ExchangeBFault> {
    return Effect.gen({ self: this }, function*() {
      const newer: Array<Listed> = []
      let knownPages = 0
      let cursor: string | undefined
      for (let pages = 0; pages < MOST_PAGES; pages += 1) {
        const page = yield* pageAt(cursor)
        const listed = listedIn(page, account)
        newer.push(...listed)
        cursor = nextOf(page)
        if (this.known.size === 0) break
        if (listed.some(({ id }) => this.known.has(id))) knownPages += 1
        const isPast = listed.some(({ time }) => time < (newer[0]?.time ?? 0) - LATE_MS)
        const meets = knownPages > 0 && (isPast || knownPages === LATE_PAGES)
        if (meets || cursor === undefined) return this.addNewer(newer)
      }
      this.forget()
      this.addNewer(newer)
      this.older = cursor
    })
  }

  /** The list from its newest on: all others that are known come after it. `listed` begins with the newest. */
  private addNewer(listed: ReadonlyArray<Listed>): void {
    for (const each of listed.toReversed()) this.keep(each, this.rank.newer++)
  }

  /** What comes after all that are known, but for those that were read as newer ones meanwhile. */
  private addOlder(listed: ReadonlyArray<Listed>): void {
    for (const each of listed) this.keep(each, this.known.get(each.id)?.rank ?? this.rank.older--)
  }

  private keep(listed: Listed, rank: number): void {
    this.known.set(listed.id, { ...listed, rank })
    this.oldest = Math.min(this.oldest, listed.time)
  }

  private forget(): void {
    this.known.clear()
    this.older = undefined
    this.oldest = Infinity
  }
}
