/** Spellings of a Tron account: base58 for people, 41 and 40 digits for nodes, 0x and 40 digits for the EVM. */
import { hexToBytes } from "@noble/hashes/utils.js"
import { Result } from "effect"
import type { Address } from "../../../../../src/domain/chain/Address.ts"
import { tronAddresses } from "../../../../../src/domain/families/tron/TronAddresses.ts"

export type EvmAddress = `0x${string}`

/** 41 and 40 lower-case digits. */
export type NodeAddress = `41${string}`

export const nodeAddress = (evm: string): NodeAddress => `41${evm.slice(2).toLowerCase()}`
export const evmAddress = (node: NodeAddress): EvmAddress => `0x${node.slice(2)}`

/** Throws for text that is not an account. */
export const base58Of = (evm: string): Address =>
  Result.getOrThrow(tronAddresses.fromBytes(hexToBytes(nodeAddress(evm))))

/** Parses any of the three spellings, as nodes do. Undefined for any other text. */
export const parseAccount = (text: string): NodeAddress | undefined => {
  if (/^(0x)?41[0-9a-f]{40}$/iu.test(text)) return `41${text.slice(-40).toLowerCase()}`
  if (/^0x[0-9a-f]{40}$/iu.test(text)) return nodeAddress(text)
  const bytes = tronAddresses.toBytes(text)
  return Result.isSuccess(bytes) ? `41${Buffer.from(bytes.success).toString("hex").slice(2)}` : undefined
}

/** Throws for text that is not an account. */
export const toEvm = (text: string): EvmAddress => {
  const node = parseAccount(text)
  if (node === undefined) throw new Error(`${text} is no Tron account`)
  return evmAddress(node)
}
