/**
 * Stretches of an account's ledger at one endpoint of exchange A that were full of entries and can show nothing else any
 * more, with what the account has sent in them (EXCHANGEA-35). For an hour, readings skip them: a stranger's transfers
 * cost one reading of each, not one for each payment, and a reading that the budget ends is continued.
 *
 * SECURITY: what one endpoint has shown never counts for another one, and an endpoint that was wrong is asked again.
 */
import type { LedgerEntry } from "../../../../src/domain/families/exchange-a/payment/PaymentFate.ts"
import { ByteBoundedCache } from "../../../endpoints/ByteBoundedCache.ts"
import type { ExchangeAClient } from "../../rpc/ExchangeAClient.ts"
import type { Times } from "./LedgerPage.ts"

const MAX_BYTES = 8 * 1024 * 1024

const KEPT_MS = 3_600_000

/** After a reading that did not come to its end, for each account that rests. Milliseconds. */
const REST_MS = 120_000n

/** So many pages a reading takes while its account rests, unless it is the one that has stopped. */
const FREE_PAGES = 2

/** Everything that the account has sent in these times. */
export interface Stretch extends Times {
  readonly sent: ReadonlyArray<LedgerEntry>
}

interface Kept extends Stretch {
  readonly until: number
}

/** The rest of an account's ledger after a reading of it that has stopped before its end. */
interface Rest {
  /** Where that reading began. */
  readonly from: bigint
  /** Milliseconds, the exchange's clock. */
  readonly at: bigint
  readonly until: bigint
}

const isUnder = ({ at, until }: Rest, now: bigint): boolean => now >= at && now < until

export class Stretches {
  private readonly known = new ByteBoundedCache<ReadonlyArray<Kept>>(MAX_BYTES)

  private readonly resting = new Map<string, Rest>()

  /** Oldest first. Two readings at once may have kept the same times. `now`: milliseconds since any moment. */
  of(account: string, now: number): ReadonlyArray<Stretch> {
    return this.keptOf(account, now)
  }

  keep(account: string, { from, sent, to }: Stretch, now: number): void {
    if (from > to) return
    const all = [...this.keptOf(account, now), { from, sent, to, until: now + KEPT_MS }]
    this.known.keep(account, all.toSorted((one, other) => one.from < other.from ? -1 : 1))
  }

  /**
   * Whether the next page of a reading waits, so that a long one leaves the budget to others. `from`: where the reading
   * began. `read`: the pages that it has taken. `now`: the exchange's clock.
   *
   * SECURITY: whoever fills one account's ledger holds up no other account, and no short reading of the same one.
   */
  rests(account: string, { from, now, read }: { readonly from: bigint; readonly now: bigint; readonly read: number }) {
    const rest = this.resting.get(account)
    return rest !== undefined && isUnder(rest, now) && (rest.from === from || read >= FREE_PAGES)
  }

  /**
   * A reading has stopped before its end. Its account rests the longer the more others do, so that strangers who fill
   * many ledgers use up no more of the budget.
   */
  stop(account: string, from: bigint, now: bigint): void {
    for (const [each, rest] of this.resting) {
      if (!isUnder(rest, now)) this.resting.delete(each)
    }
    this.resting.set(account, { from, at: now, until: now + REST_MS * BigInt(this.resting.size + 1) })
  }

  private keptOf(account: string, now: number): ReadonlyArray<Kept> {
    return (this.known.find(account) ?? []).filter(({ until }) => until > now)
  }
}

const known = new WeakMap<ExchangeAClient, Stretches>()

export const stretchesOf = (client: ExchangeAClient): Stretches => {
  const found = known.get(client) ?? new Stretches()
  known.set(client, found)
  return found
}
