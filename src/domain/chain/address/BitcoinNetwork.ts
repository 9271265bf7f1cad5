/**
 * The Bitcoin networks and what tells their addresses apart: the bech32 prefix (BIP-173) and the
 * version bytes of base58. Testnet stands for signet too, which spells its addresses alike.
 */
import * as Schema from "effect/Schema"

export const BitcoinNetwork = Schema.Literals(["mainnet", "testnet", "regtest"])

export type BitcoinNetwork = typeof BitcoinNetwork.Type

export interface BitcoinPrefixes {
  readonly bech32: "bc" | "tb" | "bcrt"
  readonly pubKeyHash: number
  readonly scriptHash: number
}

export const bitcoinPrefixes: { readonly [N in BitcoinNetwork]: BitcoinPrefixes } = {
  mainnet: { bech32: "bc", pubKeyHash: 0x00, scriptHash: 0x05 },
  testnet: { bech32: "tb", pubKeyHash: 0x6f, scriptHash: 0xc4 },
  regtest: { bech32: "bcrt", pubKeyHash: 0x6f, scriptHash: 0xc4 }
}
