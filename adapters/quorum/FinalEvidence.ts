/**
 * Final evidence by chain and transaction, the oldest forgotten first, within a budget of bytes: one transaction may show
 * megabytes, and anybody may have it attested.
 *
 * Not a cache of effect's: its entries keep the fiber that read them, and with it the request that asked.
 */
import { isLasting } from "../../src/domain/evidence/SameEvidence.ts"
import type { Observation } from "../../src/domain/evidence/TransactionEvidence.ts"

/** Of one family. */
const MAX_BYTES = 32 * 1024 * 1024

/** No transaction takes more than this share of it, so that large ones cannot drive all others out: they are read again. */
const LARGEST_SHARE = 16

/** What objects and their members cost beside the texts. */
const ENTRY_BYTES = 200

/** Never less than what the evidence holds: texts at a byte a character, which they have because they are flat. */
const bytesOf = (value: unknown): number => {
  if (typeof value === "string") return 24 + value.length
  if (typeof value === "bigint") return 48
  if (typeof value !== "object" || value === null) return 8
  return Object.values(value).reduce((sum: number, member) => sum + bytesOf(member), ENTRY_BYTES)
}

interface Kept {
  readonly seen: Observation
  readonly bytes: number
}

export class FinalEvidence {
  private readonly known = new Map<string, Kept>()
  private readonly maxBytes: number
  /** What all that is kept holds. */
  bytes = 0

  constructor(maxBytes = MAX_BYTES) {
    this.maxBytes = maxBytes
  }

  find(key: string): Observation | undefined {
    return this.known.get(key)?.seen
  }

  /** Keeps what can never change, and nothing else. */
  keep(key: string, seen: Observation): void {
    if (!isLasting(seen)) return
    const bytes = bytesOf(seen) + bytesOf(key)
    if (bytes * LARGEST_SHARE > this.maxBytes) return
    this.forget(key)
    this.known.set(key, { seen, bytes })
    this.bytes += bytes
    for (const oldest of this.known.keys()) {
      if (this.bytes <= this.maxBytes) return
      this.forget(oldest)
    }
  }

  private forget(key: string): void {
    const kept = this.known.get(key)
    if (kept === undefined) return
    this.known.delete(key)
    this.bytes -= kept.bytes
  }
}
