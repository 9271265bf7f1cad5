/**
 * A transaction of tron-vm, decoded from its `raw_data`, the bytes whose hash is its id: pure, total.
 *
 * SECURITY: nothing else of a transaction is trusted. A node that returns bytes hashing to the id cannot change its
 * memo, recipient or amount. These bytes do not show whether it succeeded.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import { ethereumAddresses } from "../../ethereum/EthereumAddresses.ts"
import { type Hex, hexFromBytes } from "../../../encoding/Hex.ts"
import { bytesField, intField, manyBytes, protobufFields } from "./Protobuf.ts"
import { hexDigits } from "../../../encoding/HexDigits.ts"

/** The transaction's action, as far as it matters here. Accounts in EVM form, amounts in sun. */
export type TronAct =
  /** A transfer of TRX between accounts. */
  | { readonly _tag: "Transfer"; readonly owner: Address; readonly to: Address; readonly amount: bigint }
  /** A contract call. */
  | {
    readonly _tag: "Trigger"
    readonly owner: Address
    readonly contract: Address
    readonly value: bigint
    readonly input: Hex
  }
  | { readonly _tag: "Other" }

export interface TronTransaction {
  /** 64 hex digits. */
  readonly id: string
  /** `raw_data.data`. Empty when there is none. */
  readonly memo: Uint8Array
  readonly act: TronAct
  /** Whose transaction it is, in EVM form. Undefined for kinds that make no logs, which name it in other places. */
  readonly owner: Address | undefined
}

/** Field numbers from Tron's protocol files. */
const raw = { memo: 10, contract: 11 } as const
const contract = { parameter: 2 } as const
const any = { typeUrl: 1, value: 2 } as const
const transfer = { owner: 1, to: 2, amount: 3 } as const
const trigger = { owner: 1, contract: 2, value: 3, input: 4 } as const

/** The owner's field in a transfer, a call and a creation. */
const OWNER = 1

const other: TronAct = { _tag: "Other" }

/** 0x41 and the 20 bytes of an account. */
const accountIn = (bytes: Uint8Array): Address | undefined => {
  if (bytes.length !== 21 || bytes[0] !== 0x41) return undefined
  const account = ethereumAddresses.fromBytes(bytes.subarray(1))
  return Result.isSuccess(account) ? account.success : undefined
}

const transferOf = (value: Uint8Array): TronAct => {
  const fields = protobufFields(value) ?? []
  const [owner, to, amount] = [
    accountIn(bytesField(fields, transfer.owner)),
    accountIn(bytesField(fields, transfer.to)),
    intField(fields, transfer.amount)
  ]
  return owner === undefined || to === undefined || amount <= 0n ? other : { _tag: "Transfer", owner, to, amount }
}

const triggerOf = (value: Uint8Array): TronAct => {
  const fields = protobufFields(value) ?? []
  const [owner, called, paid] = [
    accountIn(bytesField(fields, trigger.owner)),
    accountIn(bytesField(fields, trigger.contract)),
    intField(fields, trigger.value)
  ]
  return owner === undefined || called === undefined || paid < 0n
    ? other
    : { _tag: "Trigger", owner, contract: called, value: paid, input: hexFromBytes(bytesField(fields, trigger.input)) }
}

const textOf = (bytes: Uint8Array): string =>
  Array.from(bytes.subarray(0, 128), (byte) => String.fromCharCode(byte)).join("")

/** The fields of the transaction's only contract: its type and its value. A transaction has exactly one. */
const onlyContract = (contracts: ReadonlyArray<Uint8Array>) => {
  const [only, ...more] = contracts.map((bytes) => manyBytes(protobufFields(bytes) ?? [], contract.parameter))
  const [parameter, ...others] = only ?? []
  return parameter === undefined || others.length > 0 || more.length > 0 ? undefined : protobufFields(parameter) ?? []
}

/** Nodes distinguish contracts by the name after the last slash of the type. */
const actOf = (type: string, value: Uint8Array): TronAct => {
  switch (type.split("/").at(-1)) {
    case "protocol.TransferContract":
      return transferOf(value)
    case "protocol.TriggerSmartContract":
      return triggerOf(value)
    default:
      return other
  }
}

/** Undefined when the bytes are not a valid message. */
export const readTronTransaction = (bytes: Uint8Array): TronTransaction | undefined => {
  const fields = protobufFields(bytes)
  if (fields === undefined) return undefined
  const called = onlyContract(manyBytes(fields, raw.contract))
  const value = called === undefined ? undefined : bytesField(called, any.value)
  return {
    id: hexDigits(sha256(bytes)),
    memo: bytesField(fields, raw.memo),
    act: called === undefined || value === undefined ? other : actOf(textOf(bytesField(called, any.typeUrl)), value),
    owner: value === undefined ? undefined : accountIn(bytesField(protobufFields(value) ?? [], OWNER))
  }
}
