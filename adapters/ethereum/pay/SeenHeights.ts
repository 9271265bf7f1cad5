/**
 * In which blocks payments were last seen, so that the next look asks for that block together with the receipt. A hint
 * that decides nothing: a payment that a reorg has moved costs one more request.
 */
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"

/** More than are ever in flight on a chain. The oldest is forgotten. */
const MOST = 2_000

export class SeenHeights {
  private readonly heights = new Map<TransactionId, bigint>()

  of(id: TransactionId): bigint | undefined {
    return this.heights.get(id)
  }

  note(id: TransactionId, height: bigint): void {
    this.heights.delete(id)
    this.heights.set(id, height)
    const [oldest] = this.heights.keys()
    if (this.heights.size > MOST && oldest !== undefined) this.heights.delete(oldest)
  }
}
