/**
 * The stock of derived deposit addresses (ADDRESS-3), for families whose addresses are keys: whoever has the seed puts
 * addresses in, whoever quotes takes one out for an order, and neither has to know the other.
 *
 * Guarantee: no place of a key is used twice, nor given to two orders, also not by a store that was restored from a
 * backup. Every run of a worker derives under a generation of its own, whose number is the time at which it began
 * (`begin`): no earlier run, whether this store remembers it or not, can have had it. What earlier runs left in the
 * stock is dropped at that moment, and when a restore is marked: the lost store may have given it away. What was taken
 * stays for ever.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import type { KeyFamily, KeyPlace } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** An address and where its key is derived. */
export interface DepositKey extends KeyPlace {
  readonly address: Address
}

/**
 * Nobody has put addresses into the stock for a while: no worker with the seed is running, or they are taken faster
 * than made.
 */
export class AddressesExhausted
  extends Schema.TaggedError<AddressesExhausted>()("AddressesExhausted", { chain: ChainSlug })
{
  override get message(): string {
    return `no deposit address of ${this.chain} is free now; try again in a moment`
  }
}

export class DepositKeys extends Context.Service<DepositKeys, {
  /**
   * A generation that no run has had, by the time in milliseconds; the stock of all others of the family is dropped.
   */
  readonly begin: (family: KeyFamily, at: number) => Effect.Effect<number, StoreUnavailable>
  /** How many are free. */
  readonly free: (family: KeyFamily) => Effect.Effect<number, StoreUnavailable>
  /** Puts them into the stock; what is there already stays as it is. */
  readonly add: (family: KeyFamily, keys: ReadonlyArray<DepositKey>) => Effect.Effect<void, StoreUnavailable>
  /** One that no order has had, for this order, for ever; undefined when none is free. */
  readonly claim: (family: KeyFamily, orderId: OrderId) => Effect.Effect<Address | undefined, StoreUnavailable>
  /** Where the key of an address is derived. */
  readonly find: (address: Address) => Effect.Effect<DepositKey | undefined, StoreUnavailable>
  /** The newest that was given to an order. */
  readonly lastClaimed: (family: KeyFamily) => Effect.Effect<DepositKey | undefined, StoreUnavailable>
}>()("causeway/ports/DepositKeys") {}
