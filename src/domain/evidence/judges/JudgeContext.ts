/**
 * What every judge knows besides claim and evidence: the configured chains, and how a signature is
 * checked. No endpoint, no key.
 */
import * as Result from "effect/Result"
import type { ChainNetwork } from "../../chain/ChainNetwork.ts"
import type { Address } from "../../chain/Address.ts"
import type { ChainSlug } from "../../chain/ChainId.ts"
import type { Hex, Hex32 } from "../../encoding/Hex.ts"
import type { ChainRef } from "../../hub/ChainRef.ts"
import type { SettlementContext } from "../../hub/SettlementMessage.ts"
import { refuse, type Refusal } from "./Refusal.ts"

/** A configured chain: every `Chain` is one. */
export interface JudgedChain extends ChainRef {
  /** Whose deposits count, in the family's canonical spelling. */
  readonly depository: Address
}

export interface JudgeContext {
  readonly chainOf: (slug: ChainSlug) => JudgedChain | undefined
  /** Which of Bitcoin's networks addresses are of. */
  readonly network: ChainNetwork
  /**
   * True when exactly this EVM account signed the 32 bytes by EIP-191: `isSignedBy`, or a faster one that is equal to
   * it.
   */
  readonly isSignedBy: (hash: Hex32, signature: Hex, signer: string) => boolean
}

/** What the settlement encoders ask of the same context. */
export const settlementContext = (context: JudgeContext): SettlementContext => ({
  familyOf: (slug) => context.chainOf(slug)?.family,
  network: context.network
})

/** The configured chain of a slug, or a refusal. */
export const configuredChain = (context: JudgeContext, slug: ChainSlug): Result.Result<JudgedChain, Refusal> => {
  const chain = context.chainOf(slug)
  return chain === undefined ? refuse("unknown-chain", slug) : Result.succeed(chain)
}
