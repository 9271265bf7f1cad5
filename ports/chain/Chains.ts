/** The chains this process serves: a fact of its configuration, decoded and checked at start. */
import * as Context from "effect/Context"
import type { Chain } from "../../src/domain/chain/Chain.ts"

export class Chains extends Context.Service<Chains, {
  readonly all: ReadonlyArray<Chain>
}>()("causeway/ports/Chains") {}
