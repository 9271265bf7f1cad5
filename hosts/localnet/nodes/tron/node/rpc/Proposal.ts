/** A transaction as a node proposes it for signing: it refers to the tip and expires a minute later. */
import type { RawData } from "../Transaction.ts"
import { tellTransaction } from "./Told.ts"
import type { View } from "./View.ts"

const MINUTE = 60_000

export const unsigned = (
  { chain, tip }: View,
  contract: RawData["contract"][0],
  { feeLimit = 0, memo = "" }: { readonly feeLimit?: number | undefined; readonly memo?: string | undefined }
) => {
  const raw_data: RawData = {
    contract: [contract],
    ref_block_bytes: (tip.number % 0x1_0000).toString(16).padStart(4, "0"),
    ref_block_hash: tip.id.slice(16, 32),
    expiration: tip.timestamp + MINUTE,
    timestamp: tip.timestamp,
    ...(feeLimit === 0 ? {} : { fee_limit: feeLimit }),
    ...(memo === "" ? {} : { data: memo })
  }
  return { visible: false, ...tellTransaction({ ...chain.encode(raw_data), raw_data, signature: [] }) }
}
