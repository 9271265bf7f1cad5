/**
 * The families that the hosts serve: the only place in them that names one. Importing them is cheap; each loads its
 * adapters when a chain of it is served.
 */
import { Context } from "effect"
import { bitcoin } from "../adapters/bitcoin/Family.ts"
import { ethereum } from "../adapters/ethereum/Family.ts"
import { exchangeA } from "../adapters/exchange-a/Family.ts"
import { exchangeB } from "../adapters/exchange-b/Family.ts"
import type { ChainFamily } from "../adapters/family/ChainFamily.ts"
import { solana } from "../adapters/solana/Family.ts"
import { tron } from "../adapters/tron/Family.ts"

/** The families of this repository. */
export const families: ReadonlyArray<ChainFamily> = [ethereum, solana, bitcoin, exchangeA, exchangeB, tron]

/**
 * The families that a host serves, those of this repository unless it is given others:
 * `Layer.provide(layerTransferHost, Layer.succeed(Families, [...families, mine]))`.
 */
export const Families = Context.Reference<ReadonlyArray<ChainFamily>>("causeway/hosts/Families", {
  defaultValue: () => families
})
