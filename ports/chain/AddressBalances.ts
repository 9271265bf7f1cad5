/**
 * Balances that one address holds in several currencies of its chain, for up to a hundred currencies at one block. A
 * reindex of a deposit address reads these (ADDRESS-4).
 *
 * A balance that could not be read is `Unread`, never zero, and does not affect the other readings.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Reading } from "../../src/domain/deposit-address/reindex/PlanReindex.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"
import type { SignedPayment } from "./Treasury.ts"

/**
 * `watched`: one of many readings of an address that is looked at again and again. An adapter may answer it from the
 * blocks that it has seen, without asking for the address. `asked`: the chain is asked for the address now.
 */
export type BalanceSource = "asked" | "watched"

/** Balances of one address, in smallest units. A balance that could not be read is `Unread`, never zero. */
export class AddressBalances extends Context.Service<AddressBalances, {
  /** One reading for each currency, in the order given. `asked` unless `from` is given. */
  readonly read: (
    chain: Chain,
    holder: Address,
    currencies: ReadonlyArray<Currency>,
    from?: BalanceSource
  ) => Effect.Effect<ReadonlyArray<Reading>, ChainUnavailable>
  /**
   * What an address that pays for its own sweeps has left of what it was sent for them, smallest units of the native
   * currency: it was not paid to the address (TRON-26). `signed`: everything that was ever signed for its sweeps, read
   * after its balance; `height`: of that balance. Undefined while it is not certain, which ends within the lifetime of
   * what is signed. `nothingLeft` where addresses do not pay for sweeps.
   */
  readonly leftBySweeps: (
    chain: Chain,
    signed: ReadonlyArray<SignedPayment>,
    height: bigint
  ) => Effect.Effect<bigint | undefined, ChainUnavailable>
}>()("causeway/ports/AddressBalances") {}

/** `leftBySweeps` of families whose addresses do not pay for their sweeps. */
export const nothingLeft = (): Effect.Effect<bigint> => Effect.succeed(0n)

/** The family of each call of this port. */
export const routeAddressBalances: Routing<AddressBalances["Service"]> = (to) => ({
  read: to((it) => it.read, ofChain),
  leftBySweeps: to((it) => it.leftBySweeps, ofChain)
})
