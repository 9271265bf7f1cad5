/**
 * Final evidence by chain and transaction, the oldest forgotten first.
 *
 * Not a cache of effect's: its entries keep the fiber that read them, and with it the request that asked.
 */
import { isLasting } from "../../src/domain/evidence/SameEvidence.ts"
import type { Observation } from "../../src/domain/evidence/TransactionEvidence.ts"

const MAX_KEPT = 10_000

export class FinalEvidence {
  private readonly known = new Map<string, Observation>()

  find(key: string): Observation | undefined {
    return this.known.get(key)
  }

  /** Keeps what can never change, and nothing else. */
  keep(key: string, seen: Observation): void {
    if (!isLasting(seen)) return
    this.known.set(key, seen)
    const [oldest] = this.known.size > MAX_KEPT ? this.known.keys() : []
    if (oldest !== undefined) this.known.delete(oldest)
  }
}
