/**
 * The bytes and the id of raw data, by tronweb's own protobuf. It is large, so it is loaded when a chain or a client
 * starts.
 */
import type { RawData } from "./Transaction.ts"

export interface Encoded {
  readonly txID: string
  readonly raw_data_hex: string
}

export type Encode = (raw: RawData) => Encoded

export const loadEncoding = async (): Promise<Encode> => {
  const { utils: { transaction } } = await import("tronweb")
  return (raw) => {
    const protobuf: unknown = transaction.txJsonToPb({ raw_data: raw, visible: false })
    return {
      txID: transaction.txPbToTxID(protobuf).replace(/^0x/u, ""),
      raw_data_hex: transaction.txPbToRawDataHex(protobuf).toLowerCase()
    }
  }
}
