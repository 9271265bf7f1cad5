/** Keys of a local Tron chain, each with its account. Derived from names in the source: for test money only. */
import { createHash } from "node:crypto"
import { privateKeyToAddress } from "viem/accounts"
import type { Address } from "../../../../../src/domain/chain/Address.ts"
import type { EvmAddress } from "./Account.ts"
import { base58Of } from "./Account.ts"

export interface TronKey {
  /** 0x and 64 digits. */
  readonly privateKey: `0x${string}`
  /** Base58. */
  readonly address: Address
  /** The same account in the contracts' form. */
  readonly evm: EvmAddress
}

export const keyOf = (privateKey: `0x${string}`): TronKey => {
  const evm = privateKeyToAddress(privateKey)
  return { privateKey, address: base58Of(evm), evm }
}

/** The key that is the sha256 of a name. */
export const keyOfName = (name: string): TronKey => keyOf(`0x${createHash("sha256").update(name).digest("hex")}`)
