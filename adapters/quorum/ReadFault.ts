/**
 * Why an endpoint's reading is no voice: it did not answer, or not with what could be an answer of the right chain; or
 * it does not have all of the past (`pruned`) and so cannot know that something is not there.
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
export type ReadFault = (typeof readFaults)[number]
