/**
 * Why an endpoint's reading has no vote. It did not answer; or its answer cannot come from the right chain; or it lacks
 * part of the past (`pruned`), so it cannot know that something is missing.
 */
export const readFaults = [
  "timeout",
  "unreachable",
  "refused",
  "wrong-chain",
  "contradiction",
  "undecodable",
  "over-quota",
  "pruned"
] as const
/** Why one endpoint has no vote in a reading. It says nothing about the chain. */
export type ReadFault = (typeof readFaults)[number]
