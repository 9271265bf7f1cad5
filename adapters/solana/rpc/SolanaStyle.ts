/**
 * How Solana's nodes are spoken to: each call a request of its own, because many of them take no batches; and whole
 * numbers read exactly, because they write lamports of 64 bits as JSON numbers.
 */
import { parseExactJson } from "../../quorum/rpc/ExactJson.ts"
import type { RpcStyle } from "../../quorum/rpc/JsonRpcPool.ts"

/** Kit hands over bigints, and refuses those that a JSON number could not hold before they come here. */
const writeExactly = (asked: unknown): string =>
  JSON.stringify(asked, (_key, value: unknown) => typeof value === "bigint" ? Number(value) : value)

export const solanaStyle: RpcStyle = { batches: false, parse: parseExactJson, write: writeExactly }
