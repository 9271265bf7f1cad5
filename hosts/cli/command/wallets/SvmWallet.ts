/** A wallet on a chain of the Solana family, by kit's own key pair. */
import { base58 } from "@scure/base"
import { createKeyPairSignerFromBytes } from "@solana/kit"
import { Schema } from "effect"
import { solanaWallet } from "../../../transfer/client/solana/SolanaWallet.ts"
import type { OpenWallet } from "./LocalWallet.ts"

const Numbers = Schema.fromJsonString(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))))
const decodeNumbers = Schema.decodeUnknownSync(Numbers)

/** A key as wallets export it, or as the key files of this family have it: seed and public key, 64 bytes. */
export const openSvm: OpenWallet = async (key, rpcUrl) => {
  const bytes = key.startsWith("[") ? Uint8Array.from(decodeNumbers(key)) : base58.decode(key)
  const signer = await createKeyPairSignerFromBytes(bytes)
  return { account: signer.address, wallet: solanaWallet({ signer, rpcUrl }) }
}
