/**
 * What a quorum of a hub's endpoints agrees on about executions. Each endpoint reads at its own head, so honest
 * endpoints may differ in how far they are. The result is the furthest state that enough endpoints have reached.
 *
 * Guarantee: with a majority as quorum and at most n − k lying endpoints, nothing is reported as final, open, or
 * carried out that is not so for an honest endpoint. Pure.
 */
import type { Hex32 } from "../../encoding/Hex.ts"

/** A reorg may undo `carried-out`, but not `final`. */
export type ExecutionState = "open" | "carried-out" | "final"

const agreedOf = (votes: ReadonlyArray<ExecutionState>, needed: number): ExecutionState | undefined => {
  const many = (...states: ReadonlyArray<ExecutionState>) =>
    votes.filter((vote) => states.includes(vote)).length >= needed
  if (many("final")) return "final"
  if (many("carried-out", "final")) return "carried-out"
  return many("open") ? "open" : undefined
}

/** `said` has one entry per endpoint. Undefined while a key has too few votes. */
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
