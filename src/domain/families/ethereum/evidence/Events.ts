/**
 * Decodes the events that show deposits and payments (EVM-1): pure, and total for any log.
 *
 * The protocol's own events have no indexed fields. A log must match an event exactly.
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import type { Address } from "../../../chain/Address.ts"
import { decodeAbi, abiAddress, abiBytes, abiTuple, abiUint } from "../../../encoding/Abi.ts"
import { type Hex, type Hex32, hex32FromDigest } from "../../../encoding/Hex.ts"
import { keccak } from "../../../encoding/Keccak.ts"
import * as Result from "effect/Result"
import type { EvmLog } from "./EvmTransaction.ts"
import { accountOf, bytes32Of, uintOf, wordsOf } from "./Words.ts"

const topic = (signature: string): Hex32 => hex32FromDigest(keccak(utf8ToBytes(signature)))

/** Topic 0 of each event. */
export const topics = {
  nativeDeposit: topic("RelayNativeDeposit(address,uint256,bytes32)"),
  erc20Deposit: topic("RelayErc20Deposit(address,address,uint256,bytes32)"),
  transfer: topic("Transfer(address,address,uint256)"),
  nativePayment: topic("SolverNativeTransfer(address,uint256)"),
  callExecuted: topic("SolverCallExecuted(address,bytes,uint256)")
} as const

/** The depository's report of received native currency. */
export interface NativeDeposit {
  readonly depositor: Address
  readonly amount: bigint
  readonly id: Hex32
}

/** The depository's report of a token that it pulled for a depositor. */
export interface Erc20Deposit extends NativeDeposit {
  readonly token: Address
}

/** A token transfer. */
export interface TokenTransfer {
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
}

const isUnindexed = (log: EvmLog, topic0: Hex32): boolean => log.topics.length === 1 && log.topics[0] === topic0

/** The depository's event for native currency (EVM-1). Undefined for any other log. */
export const nativeDepositOf = (log: EvmLog): NativeDeposit | undefined => {
  const words = isUnindexed(log, topics.nativeDeposit) ? wordsOf(log.data, 3) : undefined
  if (words === undefined) return undefined
  const [from = "", amount = "", id = ""] = words
  const depositor = accountOf(from)
  return depositor === undefined ? undefined : { depositor, amount: uintOf(amount), id: bytes32Of(id) }
}

/** The depository's event for a token (EVM-1). Undefined for any other log. */
export const erc20DepositOf = (log: EvmLog): Erc20Deposit | undefined => {
  const words = isUnindexed(log, topics.erc20Deposit) ? wordsOf(log.data, 4) : undefined
  if (words === undefined) return undefined
  const [from = "", currency = "", amount = "", id = ""] = words
  const depositor = accountOf(from)
  const token = accountOf(currency)
  return depositor === undefined || token === undefined
    ? undefined
    : { depositor, token, amount: uintOf(amount), id: bytes32Of(id) }
}

/** ERC-20's Transfer, with both accounts indexed. An ERC-721 Transfer also indexes its id and is not matched. */
export const transferOf = (log: EvmLog): TokenTransfer | undefined => {
  const [topic0, sender = "", receiver = ""] = log.topics
  const words = topic0 === topics.transfer && log.topics.length === 3 ? wordsOf(log.data, 1) : undefined
  const [amount] = words ?? []
  const from = accountOf(sender.slice(2))
  const to = accountOf(receiver.slice(2))
  return amount === undefined || from === undefined || to === undefined
    ? undefined
    : { from, to, amount: uintOf(amount) }
}

/** The router's event for a native payment (EVM-1). Undefined for any other log. */
export const nativePaymentOf = (log: EvmLog): Omit<TokenTransfer, "from"> | undefined => {
  const words = isUnindexed(log, topics.nativePayment) ? wordsOf(log.data, 2) : undefined
  if (words === undefined) return undefined
  const [receiver = "", amount = ""] = words
  const to = accountOf(receiver)
  return to === undefined ? undefined : { to, amount: uintOf(amount) }
}

const executed = abiTuple({ to: abiAddress, data: abiBytes, value: abiUint(256) })

/** The router's event for a call (EVM-1). Undefined for any other log. */
export const callExecutedOf = (
  log: EvmLog
): { readonly to: Address; readonly data: Hex; readonly value: bigint } | undefined => {
  if (!isUnindexed(log, topics.callExecuted)) return undefined
  const decoded = decodeAbi(executed, log.data)
  return Result.isSuccess(decoded) ? decoded.success : undefined
}
