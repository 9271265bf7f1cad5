/**
 * What a quorum of a hub's endpoints says of executions. Each endpoint reads at a head of its own, so that truthful
 * ones may differ by how far they are; what is taken is as far as enough of them go.
 *
 * Guarantee: with a majority for quorum and at most n − k lying endpoints nothing is final, open, or carried out that
 * is not so for a truthful one. Pure.
 */
import type { Hex32 } from "../../encoding/Hex.ts"

/** `carried-out` may be undone by a reorganisation; `final` no more. */
export type ExecutionState = "open" | "carried-out" | "final"

const agreedOf = (votes: ReadonlyArray<ExecutionState>, needed: number): ExecutionState | undefined => {
  const many = (...states: ReadonlyArray<ExecutionState>) =>
    votes.filter((vote) => states.includes(vote)).length >= needed
  if (many("final")) return "final"
  if (many("carried-out", "final")) return "carried-out"
  return many("open") ? "open" : undefined
}

/** One of `said` for each endpoint; undefined while some key has too few voices. */
export const agreedExecutions = (
  keys: ReadonlyArray<Hex32>,
  said: ReadonlyArray<ReadonlyMap<Hex32, ExecutionState>>,
  needed: number
): ReadonlyMap<Hex32, ExecutionState> | undefined => {
  const agreed = new Map<Hex32, ExecutionState>()
  for (const key of keys) {
    const state = agreedOf(said.flatMap((states) => states.get(key) ?? []), needed)
    if (state === undefined) return undefined
    agreed.set(key, state)
  }
  return agreed
}
