/**
 * The network of a family that a chain belongs to. Some families spell addresses or chain ids differently on each
 * network (Bitcoin's prefixes, exchange B's chain ids). Testnet stands for every public test network of the family.
 */
import * as Schema from "effect/Schema"

/** The network whose addresses a chain uses. Only Bitcoin's addresses show it. */
export const ChainNetwork = Schema.Literals(["mainnet", "testnet", "regtest"])

export type ChainNetwork = typeof ChainNetwork.Type
