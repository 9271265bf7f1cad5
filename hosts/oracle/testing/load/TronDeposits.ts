/**
 * An endless series of Tron deposits, for load. Each is a separate transaction, because its id is computed from its
 * bytes.
 */
import { createHash } from "node:crypto"
import { encodeFunctionData } from "viem"
import { abi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { writtenCall } from "../../../../src/domain/families/tron/evidence/testing/WrittenTransaction.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { nodeAddress } from "../../../localnet/nodes/tron/node/Account.ts"

export const user = `0x${"a1".repeat(20)}` as const
export const AMOUNT = 5_000_000n
const id = `0x${"ee".repeat(32)}` as const

const { rawHex } = writtenCall(
  nodeAddress(user),
  nodeAddress(addressOf("Depository")),
  encodeFunctionData({ abi, functionName: "depositNative", args: [user, id] }).slice(2),
  { value: Number(AMOUNT) }
)
const template = Buffer.from(rawHex, "hex")
const place = template.indexOf(Buffer.from(id.slice(2), "hex"))

export interface TronDeposit {
  readonly id: string
  readonly rawHex: string
  /** The order that it is for. */
  readonly orderId: string
}

export const depositAt = (count: number): TronDeposit => {
  const bytes = Buffer.from(template)
  bytes.writeUInt32BE(count, place + 28)
  return {
    id: createHash("sha256").update(bytes).digest("hex"),
    rawHex: bytes.toString("hex"),
    orderId: bytes.subarray(place, place + 32).toString("hex")
  }
}
