/**
 * A chain that this process does not serve. Nothing on it may be judged or paid here. Another process or the next
 * configuration may serve it, so stored work waits.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { findChain } from "./Chain.ts"
import type { Chain } from "./Chain.ts"
import type { ChainId } from "./ChainId.ts"

/** Names the requested chain. */
export class ChainNotServed extends Data.TaggedError("ChainNotServed")<{ readonly chainId: ChainId }> {
  override get message(): string {
    return `chain ${this.chainId} is not served here`
  }
}

/** The configured chain with this id. Fails with `ChainNotServed`. */
export const servedChain = (chains: ReadonlyArray<Chain>, id: ChainId): Result.Result<Chain, ChainNotServed> => {
  const chain = findChain(chains, id)
  return chain === undefined ? Result.fail(new ChainNotServed({ chainId: id })) : Result.succeed(chain)
}
