/** The chains that this process serves. They come from its configuration, which is decoded and checked at start. */
import * as Context from "effect/Context"
import type { Chain } from "../../src/domain/chain/Chain.ts"

/** The chains that this process serves, as its configuration has them. */
export class Chains extends Context.Service<Chains, {
  readonly all: ReadonlyArray<Chain>
}>()("causeway/ports/Chains") {}
