/**
 * A cache of final evidence by chain and transaction, bounded in bytes. The bound matters because one transaction may
 * show megabytes, and anyone may have it attested.
 *
 * Effect's `Cache` is not used: its entries keep the fiber that read them, and with it the request that asked.
 */
import { isLasting } from "../../src/domain/evidence/SameEvidence.ts"
import type { Observation } from "../../src/domain/evidence/TransactionEvidence.ts"
import { ByteBoundedCache } from "../endpoints/ByteBoundedCache.ts"

/** For one family. */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * No transaction may take more than this part of the budget, so that large ones cannot evict all others. Larger ones
 * are read again each time.
 */
const PARTS = 16

export class FinalEvidence {
  private readonly kept: ByteBoundedCache<Observation>

  constructor(maxBytes = MAX_BYTES) {
    this.kept = new ByteBoundedCache(maxBytes, PARTS)
  }

  /** The bytes of all entries. */
  get bytes(): number {
    return this.kept.bytes
  }

  find(key: string): Observation | undefined {
    return this.kept.find(key)
  }

  /** Keeps only evidence that can never change. */
  keep(key: string, seen: Observation): void {
    if (isLasting(seen)) this.kept.keep(key, seen)
  }
}
