/** How many signers an execution should have, including the local one (PEER-6), and whether that many are possible. */
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import { ImpossibleQuorum } from "./EndpointQuorum.ts"

/** Whose signatures count, and how many are needed. */
export interface PeerPolicy {
  /** The signers that count besides the local one; undefined when every signer counts. */
  readonly allowed: ReadonlySet<Address> | undefined
  /** 1 when the local signature alone is enough. */
  readonly threshold: number
}

/**
 * `localSigner`: undefined while it is not known; the maximum is then assumed to be possible. `peers`: those that are
 * not shadows. Fails when so many signers can never come together.
 */
export const makePeerPolicy = (
  localSigner: Address | undefined,
  peers: number,
  allowed: ReadonlySet<Address> | undefined,
  threshold: number = 1
): Result.Result<PeerPolicy, ImpossibleQuorum> => {
  const others = allowed === undefined
    ? peers
    : Math.min(peers, [...allowed].filter((each) => each !== localSigner).length)
  const available = 1 + others
  return Number.isInteger(threshold) && threshold >= 1 && threshold <= available
    ? Result.succeed({ allowed, threshold })
    : Result.fail(new ImpossibleQuorum({ needed: threshold, available }))
}
