/**
 * Which network of a family a chain belongs to. Some families write addresses or ids of chains in another way on each
 * (Bitcoin's prefixes, exchange B's chain ids). Testnet stands for every public test network of the family.
 */
import * as Schema from "effect/Schema"

export const ChainNetwork = Schema.Literals(["mainnet", "testnet", "regtest"])

export type ChainNetwork = typeof ChainNetwork.Type
