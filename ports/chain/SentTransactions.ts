/**
 * Transactions that the solver's accounts have sent, as the chain reports them: the counterpart of the payments in the
 * store.
 *
 * For checking that the two agree. The state of a single payment is `Treasury.outcome`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address, CurrencyAddress } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../src/domain/order/Order.ts"
import type { BlockRef } from "../../src/domain/evidence/BlockRef.ts"
import type { SignerUnavailable } from "../signing/SignerUnavailable.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import type { ReadBy } from "./ReadBy.ts"
import type { SignedPayment } from "./Treasury.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** What a transaction of the account pays, read from the signed transaction itself. */
export interface SentPayment {
  readonly orderId: OrderId
  readonly recipient: Address
  readonly currency: CurrencyAddress
  /** Smallest units of the currency. With calls, the amount that the router received for them. */
  readonly amount: bigint
  /** The gas topup of the payment, smallest units of the native currency; absent without one. */
  readonly topup?: bigint
  /** `vault` when the vault paid, `calls` when it also ran calls; absent when the account paid directly. */
  readonly through?: "vault" | "calls"
}

/** What a transaction pays on a chain whose transactions name no order, when the record of the order is lost. */
export interface NamelessPayment extends Omit<SentPayment, "orderId"> {
  /** Records the order again. Returns the transaction with it. */
  readonly nameIt: (orderId: OrderId) => Effect.Effect<SentTransaction, ChainUnavailable | SignerUnavailable>
}

/** A transaction of an account that is in a block. */
export interface SentTransaction extends SignedPayment {
  /** The id under which this service would have signed it, where the chain names it otherwise. */
  readonly signedAs?: TransactionId
  /** Its sender. */
  readonly account: Address
  /** Undefined on chains that do not count an account's transactions. */
  readonly sequence: bigint | undefined
  readonly block: BlockRef
  readonly succeeded: boolean
  /** Smallest units of the native currency. */
  readonly gasPaid: bigint
  /** Undefined for every transaction that is not a payment as this service makes them. */
  readonly payment: SentPayment | undefined
  /** In place of `payment`; absent on chains whose transactions name their order. */
  readonly nameless?: NamelessPayment
  /**
   * The transaction spends only gas from the account: it only uses up its sequence (`useUp`), or sweeps a deposit
   * address.
   */
  readonly movesNothing: boolean
}

/**
 * How far the account's sequences have advanced. Each sequence is the next free one after the block in question.
 *
 * On chains that do not count transactions (`counted` false), sequences are block heights, or times of blocks where
 * payments expire at a time (seconds). Where payments expire, everything signed by now is in a block below `sequence` or
 * in none, and `finalSequence` is that of the newest final block. Where they spend coins, everything signed by now needs
 * coins below `pendingSequence`, and final transactions have spent all below `finalSequence`. So on each kind of chain, once `finalSequence` has passed every sequence that earlier payments can
 * have, none of them can still appear.
 */
export interface AccountPosition {
  readonly counted: boolean
  readonly height: bigint
  readonly sequence: bigint
  /** Also counts transactions that the node has not put into a block yet. */
  readonly pendingSequence: bigint
  /** Blocks up to here have all that `finalSequence` speaks of. −1 while no block is final. */
  readonly finalHeight: bigint
  readonly finalSequence: bigint
}

/** What the solver's accounts have sent, as the chain reports it; and how a sequence is used up without paying. */
export class SentTransactions extends Context.Service<SentTransactions, {
  /**
   * The accounts whose transactions are watched on a chain: those that pay, and those that pay no more but have. The
   * first one pays what only one account may.
   */
  readonly accountsOn: (chain: Chain) => readonly [Address, ...ReadonlyArray<Address>]
  /**
   * By the quorum, no endpoint alone makes earlier payments look impossible (QUORUM-8). By one endpoint, where payments
   * spend coins, sequences are below every coin: to list the coins takes nodes minutes.
   */
  readonly position: (chain: Chain, account: Address, by: ReadBy) => Effect.Effect<AccountPosition, ChainUnavailable>
  /** The last block before a time in milliseconds, found by binary search; −1 when the chain is younger. */
  readonly lastBlockBefore: (chain: Chain, time: number) => Effect.Effect<bigint, ChainUnavailable>
  /** Undefined when the canonical chain does not contain it. */
  readonly find: (chain: Chain, id: TransactionId) => Effect.Effect<SentTransaction | undefined, ChainUnavailable>
  /**
   * Every transaction that one of the accounts sent in these blocks, both ends included. Reads each block. By the
   * quorum, no endpoint alone hides one, changes it or invents one (QUORUM-8).
   */
  readonly between: (
    chain: Chain,
    from: bigint,
    to: bigint,
    by: ReadBy
  ) => Effect.Effect<ReadonlyArray<SentTransaction>, ChainUnavailable>
  /**
   * Uses up a sequence of an account with a transaction that moves nothing, so that no other transaction can ever take
   * it. Idempotent. Nothing happens when another transaction already has the sequence or outbids this one. Where
   * payments spend coins, it moves the account's coins to the account. Where they expire there is nothing to use up.
   */
  readonly useUp: (
    chain: Chain,
    account: Address,
    sequence: bigint
  ) => Effect.Effect<void, ChainUnavailable | SignerUnavailable>
}>()("causeway/ports/SentTransactions") {}

/** The family of each call of this port. */
export const routeSentTransactions: Routing<SentTransactions["Service"]> = (to) => ({
  accountsOn: to((it) => it.accountsOn, ofChain),
  position: to((it) => it.position, ofChain),
  lastBlockBefore: to((it) => it.lastBlockBefore, ofChain),
  find: to((it) => it.find, ofChain),
  between: to((it) => it.between, ofChain),
  useUp: to((it) => it.useUp, ofChain)
})
