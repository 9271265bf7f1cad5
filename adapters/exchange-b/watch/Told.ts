/**
 * Which deposits a scan has returned already. Scans overlap, and without this each would return the same deposits again
 * and again. In memory: another process returns them once more, which records nothing.
 */
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"

export class Told {
  /** By deposit, the cursor of the scan that returned it first, seconds. It is recorded once a scan begins there. */
  private readonly until = new Map<string, number>()

  /** What a scan returns that begins at `from` and ends at `to`, seconds. `kept`: seconds that scans overlap. */
  fresh(deposits: ReadonlyArray<Deposit>, from: number, to: number, kept: number): ReadonlyArray<Deposit> {
    for (const [id, recorded] of this.until) if (recorded < from - 2 * kept) this.until.delete(id)
    return deposits.filter(({ onchainId }) => {
      const recorded = this.until.get(onchainId)
      // A scan that does not move the cursor records nothing.
      if (recorded === undefined && to > from) this.until.set(onchainId, to)
      return recorded === undefined || from < recorded
    })
  }
}
