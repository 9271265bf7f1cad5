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

/** After a reading that did not come to its end. Milliseconds. */
const REST_MS = 120_000n

/** Everything that the account has sent in these times. */
export interface Stretch extends Times {
  readonly sent: ReadonlyArray<LedgerEntry>
}

interface Kept extends Stretch {
  readonly until: number
}

export class Stretches {
  private readonly known = new ByteBoundedCache<ReadonlyArray<Kept>>(MAX_BYTES)

  private stoppedAt: bigint | undefined

  /** Oldest first. Two readings at once may have kept the same times. `now`: milliseconds since any moment. */
  of(account: string, now: number): ReadonlyArray<Stretch> {
    return this.keptOf(account, now)
  }

  keep(account: string, { from, sent, to }: Stretch, now: number): void {
    if (from > to) return
    const all = [...this.keptOf(account, now), { from, sent, to, until: now + KEPT_MS }]
    this.known.keep(account, all.toSorted((one, other) => one.from < other.from ? -1 : 1))
  }

  /** Whether the next part of a long reading waits, so that it leaves the budget to others. `now`: the exchange's clock. */
  rests(now: bigint): boolean {
    const { stoppedAt } = this
    return stoppedAt !== undefined && now >= stoppedAt && now < stoppedAt + REST_MS
  }

  /** A reading has stopped before its end. */
  stop(now: bigint): void {
    this.stoppedAt = now
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
