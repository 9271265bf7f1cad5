/**
 * What every quote needs, looked up once and not for each request, and the facts of one moment. A quote whose facts are
 * in memory then takes no step of Effect before it is stored.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Chains } from "../../../ports/chain/Chains.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { OrderSigner } from "../../../ports/signing/OrderSigner.ts"
import { CheckedConfiguration } from "../operations/CheckedConfiguration.ts"
import { Policy } from "../operations/Policy.ts"
import { makeFacts } from "./market/Facts.ts"
import { makeRandomPool } from "./RandomPool.ts"
import type { Facts } from "./market/Facts.ts"

/** The product's names on the wire. */
export interface QuotingNames {
  /** The service component (SERVICE_COMPONENT_NAME). */
  readonly service: string
  /** The router's name on a route without swaps. */
  readonly router: string
  /** The status path of requests that later deposits at an open address make. */
  readonly statusPath: string
}

/** From the ports around. */
export const makeDesk = Effect.fnUntraced(function*(names: QuotingNames) {
  const { all } = yield* Chains
  return {
    names,
    all,
    policy: yield* Policy,
    clock: yield* Clock.Clock,
    random: makeRandomPool(yield* SecureRandom),
    accountsOn: (yield* SentTransactions).accountsOn,
    checked: yield* CheckedConfiguration,
    settlement: yield* SettlementChain,
    signer: yield* OrderSigner,
    factsAt: yield* makeFacts
  }
})
export type Desk = Effect.Success<ReturnType<typeof makeDesk>>

/** The desk at one moment. */
export interface DeskNow extends Desk {
  readonly facts: Facts
}

export const deskNow = (desk: Desk): DeskNow => ({
  ...desk,
  facts: desk.factsAt(desk.clock.currentTimeMillisUnsafe())
})
