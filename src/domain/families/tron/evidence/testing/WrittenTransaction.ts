/** A transaction and its id as TronWeb writes them: tests compare with these and build on them. */
import { utils } from "tronweb"

export interface WrittenTransaction {
  /** 64 digits. */
  readonly id: string
  readonly rawHex: string
}

/**
 * `value` as TronWeb takes it, with accounts as 41 and 40 digits. `memo` in hex. A different `salt` gives a different
 * transaction.
 */
export const writtenTransaction = (
  type: string,
  value: object,
  { memo = "", salt = 0 }: { readonly memo?: string; readonly salt?: number } = {}
): WrittenTransaction => {
  const made: unknown = utils.transaction.txJsonToPb({
    raw_data: {
      contract: [{ type, parameter: { type_url: `type.googleapis.com/protocol.${type}`, value } }],
      ref_block_bytes: "0102",
      ref_block_hash: "0102030405060708",
      expiration: 1_700_000_060_000 + salt,
      timestamp: 1_700_000_000_000,
      ...(memo === "" ? {} : { data: memo })
    }
  })
  return { id: utils.transaction.txPbToTxID(made).replace(/^0x/, ""), rawHex: utils.transaction.txPbToRawDataHex(made) }
}

/** A call of a contract, without TRX. */
export const writtenCall = (
  owner: string,
  contract: string,
  input: string,
  more: { readonly value?: number; readonly salt?: number } = {}
): WrittenTransaction =>
  writtenTransaction("TriggerSmartContract", {
    owner_address: owner,
    contract_address: contract,
    data: input,
    call_value: more.value ?? 0,
    call_token_value: 0,
    token_id: 0
  }, more)
