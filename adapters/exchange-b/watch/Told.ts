/**
 * Which deposits scans have returned. Scans overlap, and without this each would return the same deposits for a quarter
 * of an hour. A deposit is returned by all scans of its first half a minute, should another process have moved the cursor
 * while this one could not record it. In memory: another process returns it again, which records nothing.
 */
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"

/** Seconds. */
const REPEATED = 30

export class Told {
  /** By deposit, the cursor of the scan that returned it first, seconds. */
  private readonly first = new Map<string, number>()

  /** What a scan returns that begins at `from` and ends at `to`, seconds. `kept`: seconds that scans overlap. */
  fresh(deposits: ReadonlyArray<Deposit>, from: number, to: number, kept: number): ReadonlyArray<Deposit> {
    for (const [id, cursor] of this.first) if (cursor < from - 2 * kept) this.first.delete(id)
    return deposits.filter(({ onchainId }) => {
      const cursor = this.first.get(onchainId)
      // A scan that does not move the cursor records nothing.
      if (cursor === undefined && to > from) this.first.set(onchainId, to)
      return cursor === undefined || from < cursor + REPEATED
    })
  }
}
