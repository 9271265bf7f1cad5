/**
 * How Solana's nodes are called. Each call is its own request, because many nodes accept no batches. Whole numbers are
 * read exactly, because nodes write 64-bit lamports as JSON numbers.
 */
import { parseExactJson } from "../../quorum/rpc/ExactJson.ts"
import type { RpcStyle } from "../../quorum/rpc/JsonRpcPool.ts"

/** Kit passes bigints. It refuses numbers that JSON could not hold before they come here. */
const writeExactly = (asked: unknown): string =>
  JSON.stringify(asked, (_key, value: unknown) => typeof value === "bigint" ? Number(value) : value)

export const solanaStyle: RpcStyle = { batches: false, parse: parseExactJson, write: writeExactly }
