/** The chains this process serves: a fact of its configuration, decoded and checked at start. */
import * as Context from "effect/Context"
import type { Chain } from "../src/domain/chain/Chain.ts"
import type { CurrencyAddress } from "../src/domain/chain/Address.ts"

export class Chains extends Context.Service<Chains, {
  readonly all: ReadonlyArray<Chain>
  /** The chain that the solver of orders belongs to and app balances are held on, and their token (spec/3 §8). */
  readonly settlement: { readonly chain: Chain; readonly token: CurrencyAddress }
}>()("causeway/ports/Chains") {}
