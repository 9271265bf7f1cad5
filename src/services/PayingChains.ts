/**
 * Every chain on which the solver's account sends transactions: those that are served, and the hub that it settles on. For what
 * is about the account; where deposits are seen and what is quoted is `Chains` alone.
 */
import * as Effect from "effect/Effect"
import { Chains } from "../../ports/Chains.ts"
import { SettlingHub } from "../../ports/SettlingHub.ts"
import { findChain } from "../domain/chain/Chain.ts"
import type { Chain } from "../domain/chain/Chain.ts"

/** A served chain that the hub is on as well appears once, with its gate. */
export const payingChains = Effect.gen(function*() {
  const { all } = yield* Chains
  const { hub } = yield* SettlingHub
  if (hub === undefined) return all
  const { chain } = hub
  return findChain(all, chain.id) === undefined ? [...all, chain] : all.map((each): Chain => each.id === chain.id ? chain : each)
})
