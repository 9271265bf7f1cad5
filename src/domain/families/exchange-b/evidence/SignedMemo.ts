/**
 * Whether a transfer's memo is its sender's (EXCHANGEB-6). The rollup's own signature does not cover the memo: only the
 * signature of the Ethereum account that owns the sender does. The exchange asks for it where a transfer goes to another
 * owner.
 */
import * as Result from "effect/Result"
import type { ChainNetwork } from "../../../chain/ChainNetwork.ts"
import { type Hex, hexToBytes, ZERO_32 } from "../../../encoding/Hex.ts"
import { recoverDigest, textDigest } from "../../../encoding/Signature.ts"
import { l1Message } from "../ExchangeBWithdrawal.ts"
import { lighterChainIdOf } from "./Transfer.ts"
import type { SentTransfer } from "./Transfer.ts"

/**
 * The transfer with its memo if the owner has signed it, else without any. `owner`: the Ethereum account of the sender,
 * in any case of its digits.
 */
export const withSignedMemo = (
  transfer: SentTransfer,
  network: ChainNetwork,
  owner: string,
  signature: Hex | undefined
): SentTransfer => {
  if (signature === undefined) return { ...transfer, memo: ZERO_32 }
  const message = l1Message({ ...transfer, lighterChainId: lighterChainIdOf(network) })
  const signer = recoverDigest(hexToBytes(textDigest(message)), signature)
  const isOwners = Result.isSuccess(signer) && signer.success === owner.toLowerCase()
  return isOwners ? transfer : { ...transfer, memo: ZERO_32 }
}
