/**
 * What the solver's account has sent on a chain, as the chain tells it: the other side of the store's payments.
 *
 * For finding out whether the two agree. How one payment stands is `Treasury.outcome`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address, CurrencyAddress } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../src/domain/order/Order.ts"
import type { BlockRef } from "../../src/domain/transfer/deposit/Deposit.ts"
import type { SignerUnavailable } from "../signing/SignerUnavailable.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import type { SignedPayment } from "./Treasury.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** What a transaction of the account says that it pays: read from the transaction itself, which the account signed. */
export interface SentPayment {
  readonly orderId: OrderId
  readonly recipient: Address
  readonly currency: CurrencyAddress
  /** Smallest units of the currency; with calls what the router was given for them. */
  readonly amount: bigint
  /** The gas topup that goes with it, smallest units of the native currency; absent without one. */
  readonly topup?: bigint
  /** Whether the vault paid, and ran calls; absent where the account paid itself. */
  readonly through?: "vault" | "calls"
}

/** A transaction of the account that stands in a block. */
export interface SentTransaction extends SignedPayment {
  /** Undefined where a chain does not count an account's transactions. */
  readonly sequence: bigint | undefined
  readonly block: BlockRef
  readonly succeeded: boolean
  /** Smallest units of the native currency. */
  readonly gasPaid: bigint
  /** Undefined for everything that is no payment as this service makes them. */
  readonly payment: SentPayment | undefined
  /**
   * Nothing of the account's goes anywhere but its gas: it only uses its sequence up (`useUp`), or sweeps a deposit
   * address.
   */
  readonly movesNothing: boolean
}

/**
 * How far the account is: sequences are the next free one after that block.
 *
 * Where a chain does not count (`counted` false) they are block heights: what was signed by now is in a block below
 * `sequence` or in none, and `finalSequence` is the height of the newest final block. So past what all of the past can
 * claim nothing of it comes any more, on either kind of chain.
 */
export interface AccountPosition {
  readonly counted: boolean
  readonly height: bigint
  readonly sequence: bigint
  /** What the node has not put into a block yet is counted as well. */
  readonly pendingSequence: bigint
  /** −1 while no block is final. */
  readonly finalHeight: bigint
  readonly finalSequence: bigint
}

export class SentTransactions extends Context.Service<SentTransactions, {
  /** The account that pays on a chain. */
  readonly accountOn: (chain: Chain) => Address
  readonly position: (chain: Chain) => Effect.Effect<AccountPosition, ChainUnavailable>
  /** The last block before a time, milliseconds, found by halving; −1 when the chain is younger. */
  readonly lastBlockBefore: (chain: Chain, time: number) => Effect.Effect<bigint, ChainUnavailable>
  /** Undefined when the canonical chain does not hold it. */
  readonly find: (chain: Chain, id: TransactionId) => Effect.Effect<SentTransaction | undefined, ChainUnavailable>
  /** Everything that the account sent in these blocks, both ends included; reads each of them. */
  readonly between: (
    chain: Chain,
    from: bigint,
    to: bigint
  ) => Effect.Effect<ReadonlyArray<SentTransaction>, ChainUnavailable>
  /**
   * Uses a sequence up with a transaction that moves nothing, so that no other one can ever have it. Doing it twice is
   * doing it once; when another transaction has the sequence already, or outbids this one, nothing happens. Where a
   * chain does not count there is nothing to use up: time does.
   */
  readonly useUp: (chain: Chain, sequence: bigint) => Effect.Effect<void, ChainUnavailable | SignerUnavailable>
}>()("causeway/ports/SentTransactions") {}

export const routeSentTransactions: Routing<SentTransactions["Service"]> = (to) => ({
  accountOn: to((it) => it.accountOn, ofChain),
  position: to((it) => it.position, ofChain),
  lastBlockBefore: to((it) => it.lastBlockBefore, ofChain),
  find: to((it) => it.find, ofChain),
  between: to((it) => it.between, ofChain),
  useUp: to((it) => it.useUp, ofChain)
})
