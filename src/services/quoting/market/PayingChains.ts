/**
 * Every chain on which the solver's account sends transactions: the served chains, the hub on which it settles, and
 * former hubs that are configured. For work on the account. `Chains` alone says where deposits are watched and quotes
 * are made.
 */
import * as Effect from "effect/Effect"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { SettlingHub } from "../../../../ports/hub/SettlingHub.ts"
import { findChain } from "../../../domain/chain/Chain.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { ChainId } from "../../../domain/chain/ChainId.ts"

/** A served chain that also has a hub appears once, with its gate. */
export const payingChains = Effect.gen(function*() {
  const { all } = yield* Chains
  const { followed, hub } = yield* SettlingHub
  const gated = new Map<ChainId, Chain>()
  for (const { chain } of [...(hub === undefined ? [] : [hub]), ...followed]) {
    if (!gated.has(chain.id)) gated.set(chain.id, chain)
  }
  return [
    ...all.map((each): Chain => gated.get(each.id) ?? each),
    ...[...gated.values()].filter(({ id }) => findChain(all, id) === undefined)
  ]
})
