/**
 * What every judge knows besides claim and evidence: the configured chains, and how to check a signature. It contains
 * no endpoint and no key.
 */
import * as Result from "effect/Result"
import type { ChainNetwork } from "../../chain/ChainNetwork.ts"
import type { Address } from "../../chain/Address.ts"
import type { ChainSlug } from "../../chain/ChainId.ts"
import type { Hex, Hex32 } from "../../encoding/Hex.ts"
import type { ChainRef } from "../../hub/ChainRef.ts"
import type { SettlementContext } from "../../hub/SettlementMessage.ts"
import { refuse, type Refusal } from "./Refusal.ts"

/** A configured chain. Every `Chain` is a JudgedChain. */
export interface JudgedChain extends ChainRef {
  /** The depository whose deposits count, in the family's canonical spelling. */
  readonly depository: Address
}

/** What a judge knows besides the evidence: the configured chains, their network, and how a signature is checked. */
export interface JudgeContext {
  readonly chainOf: (slug: ChainSlug) => JudgedChain | undefined
  /** The network of its addresses. Only Bitcoin has several. */
  readonly network: ChainNetwork
  /**
   * True when exactly this EVM account signed the 32 bytes by EIP-191: `isSignedBy`, or a faster function with the same
   * results.
   */
  readonly isSignedBy: (hash: Hex32, signature: Hex, signer: string) => boolean
}

/** The part of this context that the settlement encoders need. */
export const settlementContext = (context: JudgeContext): SettlementContext => ({
  familyOf: (slug) => context.chainOf(slug)?.family,
  network: context.network
})

/** The configured chain with this slug, or a refusal. */
export const configuredChain = (context: JudgeContext, slug: ChainSlug): Result.Result<JudgedChain, Refusal> => {
  const chain = context.chainOf(slug)
  return chain === undefined ? refuse("unknown-chain", slug) : Result.succeed(chain)
}
