/**
 * Stores deposit addresses (ADDRESS-13). An address is written in the transaction that adds the transfer it was quoted
 * with, so every address that a caller has seen is known to this service.
 *
 * An open address has further requests, one for each later deposit. They name the address in their terms and have no
 * address record of their own.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A deposit address as its first quote made it. Each address has one record, for all chains on which it is paid. */
export interface KeptAddress {
  /** The chain it was quoted on. */
  readonly chainId: ChainId
  readonly address: Address
  readonly mode: "open" | "strict"
  /** The request that it was quoted with, and that request's order, which the address is computed from. */
  readonly requestId: RequestId
  readonly orderId: OrderId
  readonly depositor: Address
  /**
   * The contract that the address is computed from; undefined for an address that is a key, and for rows of earlier
   * versions.
   */
  readonly factory: Address | undefined
  readonly currency: CurrencyAddress
  /**
   * Where money that no order claims is sent: the quote's refundTo, else its recoveryAddress; undefined when the quote
   * named neither.
   */
  readonly refundTo: Address | undefined
  /** The key that it was quoted under. */
  readonly apiKeyId: ApiKeyId | undefined
  /** Milliseconds. */
  readonly createdAt: number
}

/**
 * The position of an address among those of its chain. An address is touched when it is created, and whenever a sweep
 * of it is queued.
 */
export interface AddressPlace {
  /** Milliseconds. */
  readonly touchedAt: number
  readonly address: Address
}

/** Some addresses ordered by position, and the position of the last one when there are more. */
export interface AddressPage {
  readonly addresses: ReadonlyArray<KeptAddress>
  readonly next: AddressPlace | undefined
}

/** From `since`, included, to `until`, excluded; without an end when `until` is undefined. Milliseconds. */
export interface TouchedRange {
  readonly since: number
  readonly until: number | undefined
}

/** Deposit addresses, each with its first quote. None is ever deleted. */
export class DepositAddresses extends Context.Service<DepositAddresses, {
  readonly find: (chainId: ChainId, address: Address) => Effect.Effect<KeptAddress | undefined, StoreUnavailable>
  /** Those of the accounts that are addresses of this service, on any chain. Takes a bounded number of statements. */
  readonly among: (accounts: ReadonlyArray<Address>) => Effect.Effect<ReadonlyArray<KeptAddress>, StoreUnavailable>
  /** The address of this request, or the address that this later request was made for. */
  readonly findByRequest: (requestId: RequestId) => Effect.Effect<KeptAddress | undefined, StoreUnavailable>
  /**
   * Addresses of a chain that were last touched in a range of time, newest first, starting after a position if one is
   * given; at most `limit`.
   */
  readonly recent: (
    chainId: ChainId,
    touched: TouchedRange,
    after: AddressPlace | undefined,
    limit: number
  ) => Effect.Effect<AddressPage, StoreUnavailable>
  /** Every request made for the address, on any chain, newest first; at most `limit`. */
  readonly requestsOf: (address: Address, limit: number) => Effect.Effect<ReadonlyArray<RequestId>, StoreUnavailable>
  /** When the address was last reindexed on the target chain, milliseconds. */
  readonly reindexedAt: (
    chainId: ChainId,
    address: Address,
    target: ChainId
  ) => Effect.Effect<number | undefined, StoreUnavailable>
  /**
   * Records a reindex of the address. False, and nothing is recorded, when another caller has recorded one since `last`
   * was read, or when `at` is not after `last`. Of several concurrent callers exactly one gets true.
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
   * Removes the record of a reindex that did not complete: restores `last`, if the record is still the one made at
   * `at`.
   */
  readonly forgetReindex: (
    chainId: ChainId,
    address: Address,
    target: ChainId,
    last: number | undefined,
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/DepositAddresses") {}
