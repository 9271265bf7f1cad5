/**
 * Balances that one address holds in several currencies of its chain, for up to a hundred currencies at one block. A
 * reindex of a deposit address reads these (ADDRESS-4).
 *
 * A balance that could not be read is `Unread`, never zero, and does not affect the other readings.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Reading } from "../../src/domain/deposit-address/reindex/PlanReindex.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

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
}>()("causeway/ports/AddressBalances") {}

/** The family of each call of this port. */
export const routeAddressBalances: Routing<AddressBalances["Service"]> = (to) => ({
  read: to((it) => it.read, ofChain)
})
