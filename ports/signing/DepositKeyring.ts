/**
 * Derives deposit addresses in a process that holds their seed: a worker, never a process that only serves HTTP
 * (ADDRESS-3).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { KeyFamily, KeyPlace } from "../../src/domain/deposit-address/HardenedKeys.ts"
import type { Routing } from "../chain/Routing.ts"
import type { SignerUnavailable } from "./SignerUnavailable.ts"

/** The account at a place of the seed. The same place gives the same account for ever. */
export class DepositKeyring extends Context.Service<DepositKeyring, {
  /**
   * Derives the address whose key is at a place. Undefined in a process without the seed, and for families that it does
   * not serve.
   */
  readonly deriverOf: (
    family: KeyFamily
  ) => ((place: KeyPlace) => Effect.Effect<Address, SignerUnavailable>) | undefined
}>()("causeway/ports/DepositKeyring") {}

/** The family of each call of this port. */
export const routeDepositKeyring: Routing<DepositKeyring["Service"]> = (to) => ({
  deriverOf: to((it) => it.deriverOf, ([family]) => family)
})
