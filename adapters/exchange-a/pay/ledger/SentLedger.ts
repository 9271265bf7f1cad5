/**
 * What an account of exchange A has sent, from its ledger at one endpoint (EXCHANGEA-21).
 *
 * SECURITY: what is missing proves that a payment was not executed. So every page is read, oldest first, each from the
 * time at which the one before ended: together they are the ledger as it was when the last page was read. A millisecond
 * that fills a page by itself is read from blocks (`readMoment`).
 */
import { Effect } from "effect"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import { settledAt } from "../../../../src/domain/families/exchange-a/payment/NonceRules.ts"
import type { LedgerEntry } from "../../../../src/domain/families/exchange-a/payment/PaymentFate.ts"
import { elapsedMillis } from "../../../quorum/rpc/ElapsedTime.ts"
import type { ExchangeAClient } from "../../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../../rpc/ExchangeARpc.ts"
import { readMoment } from "./FullMoment.ts"
import { readPage } from "./LedgerPage.ts"
import type { Times } from "./LedgerPage.ts"
import { stretchesOf } from "./Stretches.ts"
import type { Stretch } from "./Stretches.ts"

/** An account of a solver has fewer entries in two days. */
const MOST_PAGES = 400

/** What the explorer weighs for the blocks of a full millisecond, in pages of a ledger. */
const PAGES_OF_MOMENT = 5

export interface SentRange extends Times {
  /** Milliseconds, the exchange's clock at this endpoint, read before the ledger. */
  readonly now: bigint
  /** A nonce that is searched: once a page has it, none further is read. */
  readonly until?: bigint
  /** After so many pages a reading takes no other one: it fails as `behind`, and a later one goes on (`Stretches`). */
  readonly pages?: number
}

/** What one page proves: everything that was sent between `from` and `to`. */
interface ReadStretch extends Stretch {
  /** What it cost, in pages. */
  readonly pages: number
  /** Up to here it is worth keeping and can never show another entry. Before `from` when nothing is. */
  readonly settled: bigint
}

const readStretch = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    account: Address,
    { from, now, to }: Times & Pick<SentRange, "now">,
    deadline: number
  ): Effect.fn.Return<ReadStretch, ExchangeAFault> {
    const page = yield* readPage(client, { of: account, sender: account }, { from, to }, deadline)
    const { isFull, last, sent } = page
    if (!isFull) return { from, to, sent, settled: from - 1n, pages: 1 }
    // Entries of its last moment may be cut off.
    if (last > from) {
      const settled = settledAt(now)
      return { from, to: last - 1n, sent, settled: settled < last ? settled : last - 1n, pages: 1 }
    }
    const moment = yield* readMoment(client, account, { page, time: from }, deadline)
    return { from, to: from, sent: moment, settled: from, pages: PAGES_OF_MOMENT }
  }
)

/** Each entry once, oldest first. */
export const readSent = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    account: Address,
    { from, now, pages = MOST_PAGES, to, until }: SentRange,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<LedgerEntry>, ExchangeAFault> {
    const found = new Map<string, LedgerEntry>()
    const isFound = () => until !== undefined && [...found.values()].some(({ nonce }) => nonce === until)
    const stretches = stretchesOf(client)
    let at = from < 0n ? 0n : from
    let read = 0
    while (at <= to && !isFound()) {
      const elapsed = yield* elapsedMillis
      const known = stretches.of(account, elapsed)
      let stretch = known.find((each) => each.from <= at && at <= each.to)
      if (stretch === undefined) {
        if (read > pages) stretches.stop(account, from, now)
        if (stretches.rests(account, { from, now, read })) return yield* Effect.fail("behind" as const)
        const next = known.find((each) => each.from > at && each.from <= to)
        const end = next === undefined ? to : next.from - 1n
        const { pages: cost, settled, ...fresh } = yield* readStretch(
          client,
          account,
          { from: at, to: end, now },
          deadline
        )
        const sent = fresh.sent.filter(({ time }) => BigInt(time) <= settled)
        stretches.keep(account, { from: at, to: settled, sent }, elapsed)
        read += cost
        stretch = fresh
      }
      for (const sent of stretch.sent) {
        if (BigInt(sent.time) >= at && BigInt(sent.time) <= to) found.set(sent.hash, sent)
      }
      at = stretch.to + 1n
    }
    return [...found.values()].toSorted((one, other) => one.time - other.time)
  }
)
