/** Deposits on Tron without end, for load: each is a transaction of its own, because its id follows from its bytes. */
import { createHash } from "node:crypto"
import { utils } from "tronweb"
import { encodeFunctionData } from "viem"
import { abi } from "../../../../adapters/ethereum/contracts/abi/Depository.ts"
import { addressOf } from "../../../localnet/Addresses.ts"
import { nodeAddress } from "../../../localnet/chains/tron/Account.ts"

export const user = `0x${"a1".repeat(20)}` as const
export const AMOUNT = 5_000_000n
const id = `0x${"ee".repeat(32)}` as const

const written = utils.transaction.txPbToRawDataHex(utils.transaction.txJsonToPb({
  raw_data: {
    contract: [{
      type: "TriggerSmartContract",
      parameter: {
        type_url: "type.googleapis.com/protocol.TriggerSmartContract",
        value: {
          owner_address: nodeAddress(user), contract_address: nodeAddress(addressOf("Depository")),
          data: encodeFunctionData({ abi, functionName: "depositNative", args: [user, id] }).slice(2), call_value: Number(AMOUNT), call_token_value: 0, token_id: 0
        }
      }
    }],
    ref_block_bytes: "0102", ref_block_hash: "0102030405060708", expiration: 1_700_000_060_000, timestamp: 1_700_000_000_000, fee_limit: 1_000_000_000
  }
}))
const template = Buffer.from(written, "hex")
const place = template.indexOf(Buffer.from(id.slice(2), "hex"))

export interface TronDeposit {
  readonly id: string
  readonly rawHex: string
  /** Which it is for. */
  readonly orderId: string
}

export const depositAt = (count: number): TronDeposit => {
  const bytes = Buffer.from(template)
  bytes.writeUInt32BE(count, place + 28)
  return { id: createHash("sha256").update(bytes).digest("hex"), rawHex: bytes.toString("hex"), orderId: bytes.subarray(place, place + 32).toString("hex") }
}
