/**
 * Transfers in the form of exchange B's clients, and the text that the sender's Ethereum account signs. That signature
 * is verified, so no account can act for another. The rollup's own signature (of the API key) is not verified.
 */
import { Schema } from "effect"
import { recoverMessageAddress } from "viem"
import { viemHex } from "../../../../../adapters/ethereum/rpc/ViemHex.ts"

export const TransferInfo = Schema.Struct({
  FromAccountIndex: Schema.Int,
  ApiKeyIndex: Schema.Int,
  ToAccountIndex: Schema.Int,
  AssetIndex: Schema.Int,
  FromRouteType: Schema.Int,
  ToRouteType: Schema.Int,
  Amount: Schema.Int,
  USDCFee: Schema.Int,
  Memo: Schema.Array(Schema.Int),
  Nonce: Schema.Int,
  ExpiredAt: Schema.Int,
  L1Sig: Schema.String
})
export type TransferInfo = typeof TransferInfo.Type

/** Parses the form field `tx_info`. Throws for anything but a transfer. */
export const readTransfer = (text: string): TransferInfo =>
  Schema.decodeUnknownSync(Schema.fromJsonString(TransferInfo))(text)

const hex16 = (value: number): string => `0x${value.toString(16).padStart(16, "0")}`

/** Written here a second time, independent of the code under test. */
export const messageOf = (info: Omit<TransferInfo, "L1Sig">, chainId: number): string =>
  `Transfer\n\nnonce: ${hex16(info.Nonce)}\nfrom: ${hex16(info.FromAccountIndex)} (route ${
    hex16(info.FromRouteType)
  })\n` +
  `api key: ${hex16(info.ApiKeyIndex)}\nto: ${hex16(info.ToAccountIndex)} (route ${hex16(info.ToRouteType)})\n` +
  `asset: ${hex16(info.AssetIndex)}\namount: ${hex16(info.Amount)}\nfee: ${hex16(info.USDCFee)}\nchainId: ${
    hex16(chainId)
  }\n` +
  `memo: ${Buffer.from(info.Memo).toString("hex")}\nOnly sign this message for a trusted client!`

/** The Ethereum account that signed it, in lower case. */
export const signerOf = async (info: TransferInfo, chainId: number): Promise<string> =>
  (await recoverMessageAddress({ message: messageOf(info, chainId), signature: viemHex(info.L1Sig) })).toLowerCase()
