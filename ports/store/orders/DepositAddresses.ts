/**
 * Where deposit addresses are kept (ADDRESS-13). One is written in the transaction that adds the transfer it was
 * quoted with: whoever has seen an address has one that this service knows.
 *
 * An open address has further requests, one for each later deposit; they name the address in their terms and make no
 * record of their own.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A deposit address as its first quote made it; of one address there is one, whatever chains it is paid on. */
export interface KeptAddress {
  /** The chain it was quoted on. */
  readonly chainId: ChainId
  readonly address: Address
  readonly mode: "open" | "strict"
  /** The request that it was quoted with, and its order, which is part of what the address follows from. */
  readonly requestId: RequestId
  readonly orderId: OrderId
  readonly depositor: Address
  /** The contract that it follows from; undefined where it is a key, and of what earlier versions kept. */
  readonly factory: Address | undefined
  readonly currency: CurrencyAddress
  /**
   * Where what no order claims goes: the quote's refundTo, else its recoveryAddress; undefined when nobody was named.
   */
  readonly refundTo: Address | undefined
  /** The key that it was quoted under. */
  readonly apiKeyId: ApiKeyId | undefined
  /** Milliseconds. */
  readonly createdAt: number
}

/**
 * Where an address stands among those of its chain: an address is touched when it is made, and whenever a sweep of it
 * is queued.
 */
export interface AddressPlace {
  /** Milliseconds. */
  readonly touchedAt: number
  readonly address: Address
}

/** Some addresses in the order of their places, and the place of the last of them when there are more. */
export interface AddressPage {
  readonly addresses: ReadonlyArray<KeptAddress>
  readonly next: AddressPlace | undefined
}

/** From `since` on, and before `until`, which is never when it is undefined. Milliseconds. */
export interface TouchedRange {
  readonly since: number
  readonly until: number | undefined
}

export class DepositAddresses extends Context.Service<DepositAddresses, {
  readonly find: (chainId: ChainId, address: Address) => Effect.Effect<KeptAddress | undefined, StoreUnavailable>
  /** Of the request itself, or of the address that it was made for later. */
  readonly findByRequest: (requestId: RequestId) => Effect.Effect<KeptAddress | undefined, StoreUnavailable>
  /**
   * Addresses of a chain that were touched last in a range of time, the newest first, or those that come after a place;
   * at most `limit`.
   */
  readonly recent: (
    chainId: ChainId,
    touched: TouchedRange,
    after: AddressPlace | undefined,
    limit: number
  ) => Effect.Effect<AddressPage, StoreUnavailable>
  /** Every request made for the address, on whatever chain, the newest first; at most `limit`. */
  readonly requestsOf: (address: Address, limit: number) => Effect.Effect<ReadonlyArray<RequestId>, StoreUnavailable>
  /** When the address was last indexed again on the target chain, milliseconds. */
  readonly reindexedAt: (
    chainId: ChainId,
    address: Address,
    target: ChainId
  ) => Effect.Effect<number | undefined, StoreUnavailable>
  /**
   * Notes that it is indexed again now, unless somebody else has since `last` was read, or `at` is not after it: then
   * false, and nothing is noted. Of many who ask at once one is answered with true.
   */
  readonly noteReindex: (
    chainId: ChainId,
    address: Address,
    target: ChainId,
    last: number | undefined,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Takes a note back whose reindex did not come to its end: back to `last`, if the note is still the one made at `at`.
   */
  readonly forgetReindex: (
    chainId: ChainId,
    address: Address,
    target: ChainId,
    last: number | undefined,
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/DepositAddresses") {}
