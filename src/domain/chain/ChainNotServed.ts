/**
 * A chain that this process does not serve, by its id. Nothing of it may be judged or paid here; another process, or
 * the next configuration, may serve it, so work that is stored waits for it.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { findChain } from "./Chain.ts"
import type { Chain } from "./Chain.ts"
import type { ChainId } from "./ChainId.ts"

/** Names the chain that was asked for. */
export class ChainNotServed extends Data.TaggedError("ChainNotServed")<{ readonly chainId: ChainId }> {
  override get message(): string {
    return `chain ${this.chainId} is not served here`
  }
}

/** The chain with this id, among those that are configured. Fails with `ChainNotServed`. */
export const servedChain = (chains: ReadonlyArray<Chain>, id: ChainId): Result.Result<Chain, ChainNotServed> => {
  const chain = findChain(chains, id)
  return chain === undefined ? Result.fail(new ChainNotServed({ chainId: id })) : Result.succeed(chain)
}
