/**
 * What a transaction of bitcoin-vm says in its OP_RETURN outputs (BITCOIN-2): one push of data in any of the push
 * forms, and nothing after it. The text is UTF-8, of which only ASCII is searched.
 */
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import type { ChainNetwork } from "../../../chain/ChainNetwork.ts"
import { bitcoinAddresses } from "../BitcoinAddresses.ts"
import type { Address } from "../../../chain/Address.ts"
import { Hex32 } from "../../../encoding/Hex.ts"

const OP_RETURN = 0x6a
const MOST_DIRECT = 0x4b
const PUSHDATA1 = 0x4c
const PUSHDATA2 = 0x4d
const PUSHDATA4 = 0x4e

/** The number of bytes of the length that follows the opcode. */
const lengthBytes = (opcode: number | undefined): number | undefined => {
  switch (opcode) {
    case PUSHDATA1:
      return 1
    case PUSHDATA2:
      return 2
    case PUSHDATA4:
      return 4
    default:
      return opcode !== undefined && opcode > 0 && opcode <= MOST_DIRECT ? 0 : undefined
  }
}

/** The data of a script with OP_RETURN and one push. Undefined for every other script. */
export const pushedData = (script: Uint8Array): Uint8Array | undefined => {
  if (script[0] !== OP_RETURN) return undefined
  const opcode = script[1]
  const size = lengthBytes(opcode)
  if (opcode === undefined || size === undefined) return undefined
  const from = 2 + size
  const length = size === 0 ? opcode : script.subarray(2, from).reduceRight((sum, byte) => sum * 256 + byte, 0)
  return script.length >= from && script.length - from === length ? script.subarray(from) : undefined
}

/** Bytes beyond ASCII become characters that no pattern here matches. */
const textOf = (data: Uint8Array): string => Array.from(data, (byte) => String.fromCharCode(byte)).join("")

const ID = /^0x([0-9a-fA-F]{64})$/
const NAMED = /^0x([0-9a-fA-F]{64})(?:\|depositor=([^|]{1,90})\|)?$/

const idOf = (digits: string): Hex32 => Hex32.make(`0x${digits.toLowerCase()}`)

/** The id in an OP_RETURN that contains an order id and nothing else. */
export const orderIdIn = (script: Uint8Array): Hex32 | undefined => {
  const data = pushedData(script)
  const digits = data === undefined ? undefined : ID.exec(textOf(data))?.[1]
  return digits === undefined ? undefined : idOf(digits)
}

/** The script with an order id as text: 66 bytes in one direct push, which every node relays. `orderIdIn` reads it. */
export const noteOfOrder = (id: Hex32): Uint8Array => {
  const data = utf8ToBytes(id)
  return concatBytes(Uint8Array.of(OP_RETURN, data.length), data)
}

/** The order of a deposit, and its depositor if named. */
export interface DepositNote {
  readonly id: Hex32
  readonly depositor: Address | undefined
}

/**
 * Also undefined when the depositor is not an address of the network: with the order id alone, the wrong account would
 * be credited.
 */
export const depositNoteIn = (script: Uint8Array, network: ChainNetwork): DepositNote | undefined => {
  const data = pushedData(script)
  const [, digits, named] = (data === undefined ? undefined : NAMED.exec(textOf(data))) ?? []
  if (digits === undefined) return undefined
  if (named === undefined) return { id: idOf(digits), depositor: undefined }
  const depositor = bitcoinAddresses(network).parse(named)
  return Result.isSuccess(depositor) ? { id: idOf(digits), depositor: depositor.success } : undefined
}
