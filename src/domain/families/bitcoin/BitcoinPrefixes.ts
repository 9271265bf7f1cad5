/**
 * The prefixes that distinguish addresses of the Bitcoin networks: bech32 (BIP-173) and the version bytes of base58.
 * Testnet also stands for signet and testnet 4, which spell addresses the same way. Its genesis block is that of
 * testnet 3.
 */
import type { ChainNetwork } from "../../chain/ChainNetwork.ts"

export interface BitcoinPrefixes {
  readonly bech32: "bc" | "tb" | "bcrt"
  readonly pubKeyHash: number
  readonly scriptHash: number
  /** Hash of the first block. It identifies nodes of the network. */
  readonly genesis: string
}

export const bitcoinPrefixes: { readonly [N in ChainNetwork]: BitcoinPrefixes } = {
  mainnet: {
    bech32: "bc",
    pubKeyHash: 0x00,
    scriptHash: 0x05,
    genesis: "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"
  },
  testnet: {
    bech32: "tb",
    pubKeyHash: 0x6f,
    scriptHash: 0xc4,
    genesis: "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943"
  },
  regtest: {
    bech32: "bcrt",
    pubKeyHash: 0x6f,
    scriptHash: 0xc4,
    genesis: "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"
  }
}
