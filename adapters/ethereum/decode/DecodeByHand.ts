/**
 * The answers of an EVM node that every attestation needs, decoded by hand: several times as fast as the schemas of
 * NodeAnswers.ts and EvmReceipt.ts, which say what is accepted. A test compares the two. Pure, total: undefined for
 * anything that the schema refuses.
 */
import { Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { asHex, asHex32 } from "../../../src/domain/encoding/Hex.ts"
import type { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { ethereumAddresses } from "../../../src/domain/families/ethereum/EthereumAddresses.ts"
import type { RawReceipt } from "../../quorum/rpc/EvmReceipt.ts"
import type { RawBlock, RawTransaction } from "./NodeAnswers.ts"

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/

const quantityIn = (value: unknown): bigint | undefined =>
  typeof value === "string" && QUANTITY.test(value) ? BigInt(value) : undefined

const countIn = (value: unknown): number | undefined => {
  const count = Number(quantityIn(value) ?? -1n)
  return count >= 0 && count <= Number.MAX_SAFE_INTEGER ? count : undefined
}

const hexIn = (value: unknown): Hex | undefined => typeof value === "string" ? asHex(value) : undefined
const hex32In = (value: unknown): Hex32 | undefined => typeof value === "string" ? asHex32(value) : undefined

const addressIn = (value: unknown): Address | undefined =>
  typeof value === "string" ? Result.getOrUndefined(ethereumAddresses.parse(value)) : undefined

export const decodeBlock = (value: unknown): RawBlock | undefined => {
  if (!isObject(value)) return undefined
  const hash = hex32In(value["hash"])
  const number = quantityIn(value["number"])
  const timestamp = countIn(value["timestamp"])
  return hash === undefined || number === undefined || timestamp === undefined ? undefined : { hash, number, timestamp }
}

const NOTHING = asHex("0x")

/** Null when the node knows no such transaction. */
export const decodeTransaction = (value: unknown): RawTransaction | null | undefined => {
  if (value === null) return null
  if (!isObject(value)) return undefined
  const hash = hex32In(value["hash"])
  const from = addressIn(value["from"])
  const called = value["to"] ?? null
  const to = called === null ? null : addressIn(called)
  const input = value["input"] === undefined ? NOTHING : hexIn(value["input"])
  const sum = value["value"] === undefined ? 0n : quantityIn(value["value"])
  return hash === undefined || from === undefined || to === undefined || input === undefined || sum === undefined
    ? undefined
    : { hash, from, to, input, value: sum }
}

/** Undefined when one of them does not decode. */
const allIn = <A>(value: unknown, each: (value: unknown) => A | undefined): ReadonlyArray<A> | undefined => {
  if (!Array.isArray(value)) return undefined
  const items: ReadonlyArray<unknown> = value
  const decoded: Array<A> = []
  for (const item of items) {
    const one = each(item)
    if (one === undefined) return undefined
    decoded.push(one)
  }
  return decoded
}

const logIn = (value: unknown): RawReceipt["logs"][number] | undefined => {
  if (!isObject(value)) return undefined
  const address = addressIn(value["address"])
  const topics = allIn(value["topics"], hex32In)
  const data = hexIn(value["data"])
  const logIndex = countIn(value["logIndex"])
  const transactionHash = hex32In(value["transactionHash"])
  return address === undefined || topics === undefined || data === undefined || logIndex === undefined ||
      transactionHash === undefined
    ? undefined
    : { address, topics, data, logIndex, transactionHash }
}

/** Null when the node knows no receipt. */
export const decodeReceipt = (value: unknown): RawReceipt | null | undefined => {
  if (value === null) return null
  if (!isObject(value)) return undefined
  const transactionHash = hex32In(value["transactionHash"])
  const blockHash = hex32In(value["blockHash"])
  const blockNumber = quantityIn(value["blockNumber"])
  const status = value["status"]
  const logs = allIn(value["logs"], logIn)
  return transactionHash === undefined || blockHash === undefined || blockNumber === undefined || logs === undefined ||
      (status !== "0x0" && status !== "0x1")
    ? undefined
    : { transactionHash, blockHash, blockNumber, status, logs }
}

/** The number of a chain, in the answer to `eth_chainId`. */
export const decodeChainId = quantityIn
