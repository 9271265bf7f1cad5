/**
 * A cache of chain data that can be read again, bounded in bytes. The oldest entries are evicted first. The bound
 * matters because anyone can send a transaction of megabytes. Not for data that must not be lost.
 */
import { evidenceBytes } from "../../src/domain/evidence/EvidenceBytes.ts"

interface Kept<A> {
  readonly value: A
  readonly bytes: number
}

export class ByteBoundedCache<A> {
  private readonly known = new Map<string, Kept<A>>()
  private readonly maxBytes: number
  private readonly largest: number
  /** The bytes of all entries. */
  bytes = 0

  /** An entry above `maxBytes / parts` is not kept, so that one large value cannot evict all others. */
  constructor(maxBytes: number, parts = 1) {
    this.maxBytes = maxBytes
    this.largest = maxBytes / parts
  }

  find(key: string): A | undefined {
    return this.known.get(key)?.value
  }

  keep(key: string, value: A): void {
    const bytes = evidenceBytes(value) + evidenceBytes(key)
    if (bytes > this.largest) return
    this.forget(key)
    this.known.set(key, { value, bytes })
    this.bytes += bytes
    for (const oldest of this.known.keys()) {
      if (this.bytes <= this.maxBytes) return
      this.forget(oldest)
    }
  }

  forgetAll(): void {
    this.known.clear()
    this.bytes = 0
  }

  private forget(key: string): void {
    const kept = this.known.get(key)
    if (kept === undefined) return
    this.known.delete(key)
    this.bytes -= kept.bytes
  }
}
