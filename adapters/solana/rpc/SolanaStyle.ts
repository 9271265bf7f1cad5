/**
 * How Solana's nodes are spoken to: each call a request of its own, because many of them take no batches; and whole
 * numbers read exactly, because they write lamports of 64 bits as JSON numbers.
 */
import type { RpcStyle } from "../../quorum/rpc/JsonRpcPool.ts"

const isWhole = /^-?\d+$/

/** Whole numbers beyond 2^53 come as bigint, from the digits that were sent. */
export const parseExactly = (text: string): unknown =>
  JSON.parse(text, (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source
    return typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && isWhole.test(source)
      ? BigInt(source)
      : value
  })

/** Kit hands over bigints, and refuses those that a JSON number could not hold before they come here. */
const writeExactly = (asked: unknown): string =>
  JSON.stringify(asked, (_key, value: unknown) => typeof value === "bigint" ? Number(value) : value)

export const solanaStyle: RpcStyle = { batches: false, parse: parseExactly, write: writeExactly }
