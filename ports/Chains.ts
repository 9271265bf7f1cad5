/** The chains this process serves: a fact of its configuration, decoded and checked at start. */
import * as Context from "effect/Context"
import type { Chain } from "../src/domain/chain/Chain.ts"
import type { ChainSlug } from "../src/domain/chain/ChainId.ts"

export class Chains extends Context.Service<Chains, {
  readonly all: ReadonlyArray<Chain>
  /** The chain on which the solver's account of orders lives and app balances are held (spec/3 §8). */
  readonly settlement: ChainSlug
}>()("causeway/ports/Chains") {}
