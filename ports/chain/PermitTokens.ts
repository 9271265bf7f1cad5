/** What the tokens of a chain let their owners sign instead of sending, and whether it still holds. */
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

/** How a currency is deposited by a signature. */
export type PermitWay = Pick<PermitTerms, "kind" | "domain" | "verifier" | "nonce">

/** What a permit stands on now. */
export interface PermitStanding {
  /** Its nonce is used, and nothing is left that it could be carried out by. */
  readonly used: boolean
  /** What the owner has, smallest units of the token. */
  readonly balance: bigint
  /** What Permit2 may take of the owner's, smallest units; undefined for the other kinds, which need no approval. */
  readonly allowance: bigint | undefined
  /** Seconds: the newest block's time. */
  readonly time: number
}

export class PermitTokens extends Context.Service<PermitTokens, {
  /** The first kind that the currency has, with what `owner` would sign in; undefined when it has none. */
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

export const routePermitTokens: Routing<PermitTokens["Service"]> = (to) => ({
  wayOf: to((it) => it.wayOf, ofChain),
  standing: to((it) => it.standing, ofChain)
})
