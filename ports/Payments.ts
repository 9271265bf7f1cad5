/**
 * Where payments are kept: one row for (order, leg), written in the transaction that allocates the sequence and signs,
 * before anything is broadcast. That row is why a leg is paid once.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../src/domain/chain/Address.ts"
import type { ChainId } from "../src/domain/chain/ChainId.ts"
import type { OrderId } from "../src/domain/order/Order.ts"
import type { BlockRef, Deposit } from "../src/domain/transfer/Deposit.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"
import type { Payment, PaymentRefused, PreparedPayment, SignedPayment } from "./Treasury.ts"

/**
 * `fill`, or `refund:<onchain id of the deposit>`: what of an order a payment is for; `payout` when there is no order, and
 * what is named in its place is the id of a payout.
 */
export type Leg = "fill" | `refund:${string}` | "payout"

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

export class Payments extends Context.Service<Payments, {
  readonly find: (orderId: OrderId, leg: Leg) => Effect.Effect<StoredPayment | undefined, StoreUnavailable>
  /**
   * Allocates the account's next sequence, signs and stores, all in one transaction; when the leg has a payment
   * already, that one is the answer and nothing is signed. Refused when the account's balance, less what its payments
   * that are not in a block yet can cost, does not cover this one.
   */
  readonly signOnce: (
    leg: Leg,
    deposit: Deposit["onchainId"],
    payment: Payment,
    prepared: PreparedPayment,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<StoredPayment, StoreUnavailable | PaymentRefused>
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
