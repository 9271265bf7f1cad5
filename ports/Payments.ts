/**
 * Where payments are kept: one row for (order, leg), written in the transaction that allocates the sequence and signs,
 * before anything is broadcast. That row is why a leg is paid once.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Address } from "../src/domain/chain/Address.ts"
import type { Chain } from "../src/domain/chain/Chain.ts"
import { ChainSlug } from "../src/domain/chain/ChainId.ts"
import type { ChainId } from "../src/domain/chain/ChainId.ts"
import type { OrderId } from "../src/domain/order/Order.ts"
import type { BlockRef, Deposit } from "../src/domain/transfer/Deposit.ts"
import type { SentPayment, SentTransaction } from "./SentTransactions.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"
import type { Payment, PaymentRefused, PreparedPayment, SignedPayment } from "./Treasury.ts"

/** `fill`, or `refund:<onchain id of the deposit>`: what of an order a payment is for. */
export type Leg = "fill" | `refund:${string}`

/** `signed` and kept, `sent` to the chain, `included` in a block with success, `reverted` for good. */
export type PaymentState = "signed" | "sent" | "included" | "reverted"

/** A payment as it is kept: signed, and how far it came. */
export interface StoredPayment extends SignedPayment {
  readonly orderId: OrderId
  readonly leg: Leg
  /** The deposit this payment answers: the first that was filled claims the order. */
  readonly deposit: Deposit["onchainId"]
  readonly chainId: ChainId
  readonly account: Address
  readonly sequence: bigint
  readonly amount: bigint
  readonly state: PaymentState
}

/**
 * The store was restored from a backup, and what was paid on this chain since is not known yet (`Restorations`): nothing is
 * signed and nothing is decided. Trying again is safe, and works once it is known.
 */
export class PaymentsHeld extends Schema.TaggedError<PaymentsHeld>()("PaymentsHeld", { chain: ChainSlug }) {
  override get message(): string {
    return `payments on ${this.chain} are held until it is known what was paid since the backup that was restored`
  }
}

/** The deposit has been answered by a payment of the other kind: it is filled or refunded, never both. */
export class DepositAnswered extends Schema.TaggedError<DepositAnswered>()("DepositAnswered", {
  by: Schema.Literals(["fill", "refund"])
}) {}

/** A transaction of the account that was found on its chain, and which leg it is the payment of. */
export interface FoundPayment {
  readonly leg: Leg
  readonly deposit: Deposit["onchainId"]
  readonly chainId: ChainId
  readonly account: Address
  readonly sent: SentTransaction
  readonly payment: SentPayment
}

export class Payments extends Context.Service<Payments, {
  readonly find: (orderId: OrderId, leg: Leg) => Effect.Effect<StoredPayment | undefined, StoreUnavailable>
  /**
   * Allocates the account's next sequence, signs and stores, all in one transaction; when the leg has a payment
   * already, that one is the answer and nothing is signed. Refused when the account's balance, less what its payments
   * that are not in a block yet can cost, does not cover this one. A fill is never signed for a deposit that has a
   * refund, nor a refund for one whose fill stands; and nothing on a chain whose restoration is open.
   */
  readonly signOnce: (
    leg: Leg,
    deposit: Deposit["onchainId"],
    payment: Payment,
    prepared: PreparedPayment,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<StoredPayment, StoreUnavailable | PaymentRefused | PaymentsHeld | DepositAnswered>
  /** Fails while it is not known what was paid on the chain since a backup that was restored. */
  readonly refuseHeld: (chain: Chain) => Effect.Effect<void, StoreUnavailable | PaymentsHeld>
  /** Records a payment that was found on its chain, as sent; false when the leg has another one, which stays. */
  readonly adopt: (found: FoundPayment, at: number) => Effect.Effect<boolean, StoreUnavailable>
  readonly recordSent: (orderId: OrderId, leg: Leg) => Effect.Effect<void, StoreUnavailable>
  readonly recordOutcome: (
    orderId: OrderId,
    leg: Leg,
    outcome: { readonly state: "included" | "reverted"; readonly block: BlockRef; readonly gasPaid: bigint }
  ) => Effect.Effect<void, StoreUnavailable>
  /** Sets aside a payment that can never be carried out, so that the leg can be signed anew. */
  readonly setAside: (payment: StoredPayment) => Effect.Effect<void, StoreUnavailable>
  /** Hands a leg over to another deposit, when the one that claimed it is gone from the chain. */
  readonly handOver: (payment: StoredPayment, deposit: Deposit["onchainId"]) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/Payments") {}
