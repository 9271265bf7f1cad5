/**
 * The stock of derived deposit addresses (ADDRESS-3), for families whose addresses are keys. A worker with the seed
 * adds addresses, and a process that quotes takes one for an order. Neither has to know the other.
 *
 * Guarantee: no place of a key is used twice or given to two orders, even after the store is restored from a backup.
 * Every run of a worker derives under its own generation, numbered by the time at which it began (`begin`), so no
 * earlier run can have had that number, even one that this store does not remember. Addresses that earlier runs left in
 * the stock are dropped at that moment, and when a restore is marked, because the lost store may have given them away.
 * Addresses that were taken are kept permanently.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import type { KeyFamily, KeyPlace } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** An address and the place where its key is derived. */
export interface DepositKey extends KeyPlace {
  readonly address: Address
}

/**
 * The stock has been empty for a while: no worker with the seed is running, or addresses are taken faster than they are
 * made.
 */
export class AddressesExhausted
  extends Schema.TaggedError<AddressesExhausted>()("AddressesExhausted", { chain: ChainSlug })
{
  override get message(): string {
    return `no deposit address of ${this.chain} is free now; try again in a moment`
  }
}

/** The stock of derived addresses. Each is given to one order. */
export class DepositKeys extends Context.Service<DepositKeys, {
  /**
   * Returns a generation that no run has had, made from the time in milliseconds. The stock of all other generations of
   * the family is dropped.
   */
  readonly begin: (family: KeyFamily, at: number) => Effect.Effect<number, StoreUnavailable>
  /** How many addresses are free. */
  readonly free: (family: KeyFamily) => Effect.Effect<number, StoreUnavailable>
  /** Adds addresses to the stock. Addresses that are there already do not change. */
  readonly add: (family: KeyFamily, keys: ReadonlyArray<DepositKey>) => Effect.Effect<void, StoreUnavailable>
  /** Takes an address that no order has had, permanently for this order; undefined when none is free. */
  readonly claim: (family: KeyFamily, orderId: OrderId) => Effect.Effect<Address | undefined, StoreUnavailable>
  /** The place where the key of an address is derived. */
  readonly find: (address: Address) => Effect.Effect<DepositKey | undefined, StoreUnavailable>
  /** The key that was most recently given to an order. */
  readonly lastClaimed: (family: KeyFamily) => Effect.Effect<DepositKey | undefined, StoreUnavailable>
}>()("causeway/ports/DepositKeys") {}
