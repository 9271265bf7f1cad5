/**
 * What owners of a chain's tokens can sign instead of sending a transaction, and whether a signed permit is still
 * valid.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import type { PermitTerms } from "../../src/domain/permit/Permit.ts"
import type { Permitted } from "../../src/domain/permit/PermitSpender.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** How a currency is deposited by signature. */
export type PermitWay = Pick<PermitTerms, "kind" | "domain" | "verifier" | "nonce">

/** The current on-chain state that a permit depends on. */
export interface PermitStanding {
  /** Its nonce is used and no allowance that it gave is left, so it can no longer be executed. */
  readonly used: boolean
  /** The owner's balance, smallest units of the token. */
  readonly balance: bigint
  /** The owner's allowance for Permit2, smallest units; undefined for the other kinds, which need no approval. */
  readonly allowance: bigint | undefined
  /** Seconds: the newest block's time. */
  readonly time: number
}

/**
 * How owners deposit by a signature, and whether a signed permit still holds. Undefined for a currency without permits.
 */
export class PermitTokens extends Context.Service<PermitTokens, {
  /**
   * The first kind of permit that the currency supports, with the domain, verifier and nonce that `owner` would sign;
   * undefined when it supports none.
   */
  readonly wayOf: (
    chain: Chain,
    currency: Currency,
    owner: Address
  ) => Effect.Effect<PermitWay | undefined, ChainUnavailable>
  readonly standing: (
    chain: Chain,
    permitted: Permitted,
    terms: PermitTerms
  ) => Effect.Effect<PermitStanding, ChainUnavailable>
}>()("causeway/ports/PermitTokens") {}

/** The family of each call of this port. */
export const routePermitTokens: Routing<PermitTokens["Service"]> = (to) => ({
  wayOf: to((it) => it.wayOf, ofChain),
  standing: to((it) => it.standing, ofChain)
})
