/**
 * Final evidence by chain and transaction, within a budget of bytes: one transaction may show megabytes, and anybody
 * may have it attested.
 *
 * Not a cache of effect's: its entries keep the fiber that read them, and with it the request that asked.
 */
import { isLasting } from "../../src/domain/evidence/SameEvidence.ts"
import type { Observation } from "../../src/domain/evidence/TransactionEvidence.ts"
import { ByteBoundedCache } from "../endpoints/ByteBoundedCache.ts"

/** Of one family. */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * No transaction takes more than this part of it, so that large ones cannot drive all others out: they are read again.
 */
const PARTS = 16

export class FinalEvidence {
  private readonly kept: ByteBoundedCache<Observation>

  constructor(maxBytes = MAX_BYTES) {
    this.kept = new ByteBoundedCache(maxBytes, PARTS)
  }

  /** What all that is kept holds. */
  get bytes(): number {
    return this.kept.bytes
  }

  find(key: string): Observation | undefined {
    return this.kept.find(key)
  }

  /** Keeps what can never change, and nothing else. */
  keep(key: string, seen: Observation): void {
    if (isLasting(seen)) this.kept.keep(key, seen)
  }
}
