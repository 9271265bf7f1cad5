/**
 * Stores payments (SAFE-4): one row for each (order, purpose), written in the transaction that allocates the sequence
 * and signs, before anything is broadcast. That row ensures that each purpose is paid once. Replacements at higher fees
 * are variants of the payment. All variants are kept, because any of them may be the one that is executed.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { SentPayment, SentTransaction } from "../../chain/SentTransactions.ts"
import type { SignerUnavailable } from "../../signing/SignerUnavailable.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"
import type { Payment } from "../../chain/PaymentKinds.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { StatusChange } from "./Transfers.ts"
import type { PaymentRefused, PreparedPayment, PreparedReplacement, SignedPayment } from "../../chain/Treasury.ts"

/**
 * What a payment of an order is for:
 * - `fill`: delivers the order.
 * - `fallback`: what the recipient gets in place of a fill whose swap cannot be made.
 * - `refund:<onchain id of the deposit>`: returns the whole deposit.
 * - `excess:<onchain id>`: what a deposit at a strict address has above the quoted amount, beside the fill of the rest;
 *   or what it has more than its fill or refund was made for (REFUND-9).
 * - `payout`, `sweep`, `permit`, `settlement`: without an order. They are identified by a payout, a sweep, a permit
 *   submission or a hub submission instead.
 */
export type PaymentPurpose =
  | "fill"
  | "fallback"
  | `refund:${string}`
  | `excess:${string}`
  | "payout"
  | "sweep"
  | "permit"
  | "settlement"

/**
 * `signed`: the newest variant is stored. `sent`: broadcast. `included`: in a block with success. `reverted`: reverted,
 * and final.
 */
export type PaymentState = "signed" | "sent" | "included" | "reverted"

/** One signed form of a payment. */
export interface PaymentVariant extends SignedPayment {
  /** Milliseconds. */
  readonly signedAt: number
}

/**
 * A stored payment, with its state. Its own bytes are those of the variant that was last seen in a block, or the newest
 * one.
 */
export interface StoredPayment extends SignedPayment {
  readonly orderId: OrderId
  readonly leg: PaymentPurpose
  /** The deposit that this payment is for. The first deposit that is filled claims the order. */
  readonly deposit: Deposit["onchainId"]
  readonly chainId: ChainId
  readonly account: Address
  readonly sequence: bigint
  readonly currency: CurrencyAddress
  /** Smallest units of the currency. */
  readonly amount: bigint
  /**
   * How much its deposit had by its row when the payment was signed, smallest units of the deposit's currency
   * (REFUND-8). Absent where that is not known, and for a payment without a deposit.
   */
  readonly deposited?: bigint
  readonly state: PaymentState
  /**
   * The gas cost of the variant that was last seen in a block, smallest units of the native currency; absent while no
   * variant was in a block.
   */
  readonly gasPaid?: bigint
  /** All variants signed for its sequence, oldest first. */
  readonly variants: readonly [PaymentVariant, ...ReadonlyArray<PaymentVariant>]
}

/** A payment with the block in which it was last seen. */
export interface IncludedPayment extends StoredPayment {
  readonly block: BlockRef
}

/**
 * The store was restored from a backup, and payments made on this chain since then are not known yet (`Restorations`).
 * Nothing is signed and nothing is decided. Retrying is safe, and succeeds once they are known.
 */
export class PaymentsHeld extends Schema.TaggedError<PaymentsHeld>()("PaymentsHeld", { chain: ChainSlug }) {
  override get message(): string {
    return `payments on ${this.chain} are held until it is known what was paid since the backup that was restored`
  }
}

/** What is stored of an order's payments. */
export interface StandingPayments {
  readonly payments: ReadonlyArray<StoredPayment>
  /** Set while payments made on one of the chains since the restored backup are not known. */
  readonly held: PaymentsHeld | undefined
  /** Whether the order has a refund, of whichever deposit, that is not reverted: without one, none is unfinished. */
  readonly hasRefund: boolean
}

/**
 * A chain of the payment is halted (`Halting`), as the transaction that would have signed has found. Nothing is signed
 * until an operator resumes it.
 */
export class PaymentsHalted extends Schema.TaggedError<PaymentsHalted>()("PaymentsHalted", { chain: ChainSlug }) {
  override get message(): string {
    return `payments on ${this.chain} are not signed while it, or the chain of their deposit, is halted`
  }
}

/**
 * The store's record of the deposit allows no such payment, as the transaction that would have signed has found: the
 * deposit is `gone`, `unrefundable` or less than its refund. Whoever asked has stood still since its last look at the chain. The
 * deposit's later sighting, or the deposit that took its payment over, has a filling of its own. So it is for a sweep,
 * permit or payout that another process has ended unpaid (ADDRESS-18).
 */
export class PaymentUndue extends Schema.TaggedError<PaymentUndue>()("PaymentUndue", { chain: ChainSlug }) {
  override get message(): string {
    return `a payment on ${this.chain} is not signed: by the store's record its deposit is gone, has ended unpaid or is less than is refunded, or its sweep, permit or payout has ended`
  }
}

/** A transaction of one of the accounts that was found on its chain, and the purpose that it pays. */
export interface FoundPayment {
  readonly leg: PaymentPurpose
  readonly deposit: Deposit["onchainId"]
  readonly chainId: ChainId
  readonly sent: SentTransaction
  readonly payment: SentPayment
}

/** Payments by order and purpose. A purpose is signed once; its row exists before anything is broadcast. */
export class Payments extends Context.Service<Payments, {
  readonly find: (orderId: OrderId, leg: PaymentPurpose) => Effect.Effect<StoredPayment | undefined, StoreUnavailable>
  /** The order's payments for these purposes, and whether one that is missing proves anything: read at one moment. */
  readonly standing: (
    orderId: OrderId,
    legs: ReadonlyArray<PaymentPurpose>,
    chains: ReadonlyArray<Chain>
  ) => Effect.Effect<StandingPayments, StoreUnavailable>
  /**
   * Chooses the account, allocates its next sequence, signs and stores, all in one transaction. Where several accounts
   * can make the payment, `chooseAccount` decides.
   *
   * If the purpose already has a payment, it is returned and nothing is signed. The same holds for a payment of another
   * purpose that excludes this one:
   * - A deposit that was filled, or whose excess was returned, is not refunded, and the other way round; but an excess is
   *   signed beside the payment that it names (`PaidBeside`).
   * - An order has a fill or a fallback, no matter which of its deposits each is for.
   * - An order is filled once, so it has one excess, no matter which deposit has its fill.
   *
   * Refused when no account's balance covers this payment, after subtracting what its payments that are not in
   * a block yet can cost. Also refused on a chain whose restoration is open, and while the payment's chain or its
   * deposit's is halted, and for a deposit that is `gone`, or less than its refund, by its row (REFUND-7). SECURITY: all
   * three are read in the transaction that signs, even if they were read before. If the signer fails or does not sign
   * within seconds, nothing changes: no payment is stored and no sequence is used.
   *
   * Where payments have claims (`PaymentClaim`), no two hold one, unless the first was set aside. A payment that would claim
   * what another holds is refused.
   */
  readonly signOnce: (
    leg: PaymentPurpose,
    deposit: Deposit["onchainId"],
    payment: Payment,
    prepared: PreparedPayment,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<
    StoredPayment,
    StoreUnavailable | SignerUnavailable | PaymentRefused | PaymentsHalted | PaymentsHeld | PaymentUndue
  >
  /**
   * The order's refunds whose deposits have not ended as refunded, oldest first; none that is reverted. A deposit that
   * has ended so was final, and no reorg moves it. Also those whose deposit the store does not know, after a restore.
   */
  readonly unfinishedRefunds: (orderId: OrderId) => Effect.Effect<ReadonlyArray<StoredPayment>, StoreUnavailable>
  /** Fails while payments made on the chain since the restored backup are not known. */
  readonly refuseHeld: (chain: Chain) => Effect.Effect<void, StoreUnavailable | PaymentsHeld>
  /** True when this transaction is any variant of one of our payments. */
  readonly signed: (transactionId: TransactionId) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Records a payment that was found on its chain, as sent. False when the purpose has another payment, which stays.
   */
  readonly adopt: (found: FoundPayment, at: number) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Records a transaction that was found on its chain as a variant of the payment with the same account, sequence and
   * order.
   * Does nothing when there is no such payment, or when the variant is known.
   */
  readonly adoptVariant: (
    found: Pick<FoundPayment, "chainId" | "payment" | "sent">,
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Signs and stores another variant, in one transaction; the payment is then `signed` again, and holds what it
   * claimed. If the payment has changed since it was read (it was replaced, it ended, or it was set aside and another
   * one signed for its purpose), or another payment has claimed what this would undo, nothing is signed. Returns the payment as it is then stored. Refused when the
   * account's balance does not cover the extra cost.
   */
  readonly replace: (
    payment: StoredPayment,
    replacement: PreparedReplacement,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<StoredPayment | undefined, StoreUnavailable | SignerUnavailable | PaymentRefused>
  /** The payment was broadcast. `shown`: how its request changes with that, in the same transaction. */
  readonly recordSent: (
    payment: StoredPayment,
    shown?: { readonly request: RequestId } & StatusChange
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Records the block of a payment. SECURITY: false, and nothing is recorded, while its chain is halted: what a halted
   * chain shows counts for nothing.
   */
  readonly recordOutcome: (
    orderId: OrderId,
    leg: PaymentPurpose,
    outcome: {
      readonly state: "included" | "reverted"
      /** The variant that it was, unless `signedAs` names it. */
      readonly transactionId: TransactionId
      /** The variant, where the chain has given its transaction another id. The payment then has the chain's. */
      readonly signedAs?: TransactionId
      readonly block: BlockRef
      readonly gasPaid: bigint
    }
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** Payments on a chain that were in a block with success, last signed first. */
  readonly included: (
    chainId: ChainId,
    limit: number
  ) => Effect.Effect<ReadonlyArray<IncludedPayment>, StoreUnavailable>
  /**
   * Sets aside a payment that can never be executed, so that its purpose can be signed again and its claims are free.
   * Does nothing when the payment has got another variant since it was read, or was set aside and signed again.
   */
  readonly setAside: (payment: StoredPayment) => Effect.Effect<void, StoreUnavailable>
  /**
   * Reassigns a payment to another deposit, when the deposit that claimed the purpose is gone from the chain. SECURITY:
   * the former deposit's row is `gone` from the same transaction on, also when its filling has ended or ends later: in a
   * block again it is a second deposit, and is refunded. Nothing of it is left to settle. If its loss was booked, that
   * loss is recovered, because the other deposit covers the payment; a loss of the payment itself is then the other
   * deposit's. True when the deposit's loss had been booked. Does nothing when the payment is another deposit's already.
   * A refund becomes the other deposit's refund (`refund:<its onchain id>`), unless that deposit has one or is paid otherwise;
   * or, where `as` says so, its excess (`excess:<its onchain id>`), unless the order has one. A payment of which it was
   * not known what its deposit had is from now on for what this one has.
   */
  readonly handOver: (
    payment: StoredPayment,
    deposit: Deposit["onchainId"],
    /** Milliseconds. */
    at: number,
    as?: "excess"
  ) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/Payments") {}
