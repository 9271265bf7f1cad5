/**
 * For how many blocks an endpoint is asked for logs in one request: fewer after one that took too long, more again after
 * many that did not. So a scan comes on, however slowly a node answers and whatever a stranger has put into the blocks
 * (QUORUM-14).
 */
import { BaseError, TimeoutError } from "viem"
import type { PublicClient } from "viem"

/** The most blocks of one request. */
const MOST = 2_000n

/** How many requests in a row must be answered in time before one asks for twice as many blocks. */
const IN_A_ROW = 16

interface Span {
  readonly blocks: bigint
  readonly answered: number
}

const UNHURRIED: Span = { blocks: MOST, answered: 0 }

export const isTooSlow = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof TimeoutError) !== null

export class LogSpans {
  private readonly spans = new WeakMap<PublicClient, Span>()

  /** Zero: even one block takes too long, and is read a receipt at a time. */
  of(client: PublicClient): bigint {
    return (this.spans.get(client) ?? UNHURRIED).blocks
  }

  /** A request for so many blocks has failed. Only one that took too long changes anything. */
  failed(client: PublicClient, blocks: bigint, error: unknown): void {
    if (isTooSlow(error)) this.spans.set(client, { blocks: blocks / 2n, answered: 0 })
  }

  answered(client: PublicClient): void {
    const { answered, blocks } = this.spans.get(client) ?? UNHURRIED
    if (blocks === MOST) return
    const twice = blocks === 0n ? 1n : 2n * blocks
    this.spans.set(
      client,
      answered + 1 < IN_A_ROW
        ? { blocks, answered: answered + 1 }
        : { blocks: twice < MOST ? twice : MOST, answered: 0 }
    )
  }
}
