/**
 * Where payments are kept: one row for (order, leg), written in the transaction that allocates the sequence and signs,
 * before anything is broadcast. That row is why a leg is paid once. Replacements at higher fees are variants of it: all
 * are kept, because any of them may be the one that is carried out.
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
import type { BlockRef, Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { SentPayment, SentTransaction } from "../../chain/SentTransactions.ts"
import type { SignerUnavailable } from "../../signing/SignerUnavailable.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"
import type { Payment } from "../../chain/PaymentKinds.ts"
import type { PaymentRefused, PreparedPayment, PreparedReplacement, SignedPayment } from "../../chain/Treasury.ts"

/**
 * What of an order a payment is for: its `fill`; its `fallback`, what the recipient gets in place of a fill whose swap
 * cannot be made; `refund:<onchain id of the deposit>`, all of a deposit that goes back; `excess:<onchain id>`, what a
 * deposit at a strict address has above the quoted amount, beside the fill for the rest. `payout`, `sweep`, `permit`
 * and `settlement` when there is no order, and what is named in its place is the id of a payout, a sweep, a submission
 * of a permit or one to the hub.
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
 * `signed` and kept (the newest variant), `sent` to the chain, `included` in a block with success, `reverted` for good.
 */
export type PaymentState = "signed" | "sent" | "included" | "reverted"

/** One signed form of a payment. */
export interface PaymentVariant extends SignedPayment {
  /** Milliseconds. */
  readonly signedAt: number
}

/**
 * A payment as it is kept: signed, and how far it came. Its own bytes are those of the variant that was last seen in a
 * block, or the newest.
 */
export interface StoredPayment extends SignedPayment {
  readonly orderId: OrderId
  readonly leg: PaymentPurpose
  /** The deposit this payment answers: the first that was filled claims the order. */
  readonly deposit: Deposit["onchainId"]
  readonly chainId: ChainId
  readonly account: Address
  readonly sequence: bigint
  readonly currency: CurrencyAddress
  /** Smallest units of the currency. */
  readonly amount: bigint
  readonly state: PaymentState
  /**
   * What the variant that was last seen in a block has cost, smallest units of the native currency; absent while it was
   * in none.
   */
  readonly gasPaid?: bigint
  /** All that were signed for its sequence, the first first. */
  readonly variants: readonly [PaymentVariant, ...ReadonlyArray<PaymentVariant>]
}

/** A payment with the block that it was last seen in. */
export interface IncludedPayment extends StoredPayment {
  readonly block: BlockRef
}

/**
 * The store was restored from a backup, and what was paid on this chain since is not known yet (`Restorations`):
 * nothing is signed and nothing is decided. Trying again is safe, and works once it is known.
 */
export class PaymentsHeld extends Schema.TaggedError<PaymentsHeld>()("PaymentsHeld", { chain: ChainSlug }) {
  override get message(): string {
    return `payments on ${this.chain} are held until it is known what was paid since the backup that was restored`
  }
}

/** A transaction of the account that was found on its chain, and which leg it is the payment of. */
export interface FoundPayment {
  readonly leg: PaymentPurpose
  readonly deposit: Deposit["onchainId"]
  readonly chainId: ChainId
  readonly account: Address
  readonly sent: SentTransaction
  readonly payment: SentPayment
}

export class Payments extends Context.Service<Payments, {
  readonly find: (orderId: OrderId, leg: PaymentPurpose) => Effect.Effect<StoredPayment | undefined, StoreUnavailable>
  /**
   * Allocates the account's next sequence, signs and stores, all in one transaction; when the leg has a payment
   * already, that one is the answer and nothing is signed; so is a payment under another leg that excludes this one:
   * what was filled, or had its excess sent back, is not refunded, nor the other way round; an order has a fill or a
   * fallback, whichever of its deposits each is for; and, being filled once, it has one excess, whichever deposit has
   * its fill. Refused when the account's balance, less what its payments that are not in a block yet can cost, does not
   * cover this one; and on a chain whose restoration is open. A signer that does not sign, or not within seconds, leaves
   * everything as it was: neither a payment nor a sequence that is taken.
   */
  readonly signOnce: (
    leg: PaymentPurpose,
    deposit: Deposit["onchainId"],
    payment: Payment,
    prepared: PreparedPayment,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<StoredPayment, StoreUnavailable | SignerUnavailable | PaymentRefused | PaymentsHeld>
  /** Fails while it is not known what was paid on the chain since a backup that was restored. */
  readonly refuseHeld: (chain: Chain) => Effect.Effect<void, StoreUnavailable | PaymentsHeld>
  /** True when a payment, in whichever of its variants, was signed as this transaction. */
  readonly signed: (transactionId: TransactionId) => Effect.Effect<boolean, StoreUnavailable>
  /** Records a payment that was found on its chain, as sent; false when the leg has another one, which stays. */
  readonly adopt: (found: FoundPayment, at: number) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Records a transaction that was found on its chain as a variant of the payment that has its sequence and its order;
   * does nothing when there is none, or when it is known.
   */
  readonly adoptVariant: (
    found: Pick<FoundPayment, "account" | "chainId" | "payment" | "sent">,
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Signs and stores another variant, in one transaction; the payment is then `signed` again. When it has changed since
   * it was read (somebody else has replaced it, or it ended), nothing is signed. Answers with what is kept then.
   * Refused when the account's balance does not cover what it can cost more.
   */
  readonly replace: (
    payment: StoredPayment,
    replacement: PreparedReplacement,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<StoredPayment | undefined, StoreUnavailable | SignerUnavailable | PaymentRefused>
  readonly recordSent: (payment: StoredPayment) => Effect.Effect<void, StoreUnavailable>
  readonly recordOutcome: (
    orderId: OrderId,
    leg: PaymentPurpose,
    outcome: {
      readonly state: "included" | "reverted"
      /** Which variant it was. */
      readonly transactionId: TransactionId
      readonly block: BlockRef
      readonly gasPaid: bigint
    }
  ) => Effect.Effect<void, StoreUnavailable>
  /** Payments on a chain that were in a block with success, the last signed first. */
  readonly included: (
    chainId: ChainId,
    limit: number
  ) => Effect.Effect<ReadonlyArray<IncludedPayment>, StoreUnavailable>
  /**
   * Sets aside a payment that can never be carried out, so that the leg can be signed anew; not one that has got
   * another variant since it was read.
   */
  readonly setAside: (payment: StoredPayment) => Effect.Effect<void, StoreUnavailable>
  /** Hands a leg over to another deposit, when the one that claimed it is gone from the chain. */
  readonly handOver: (payment: StoredPayment, deposit: Deposit["onchainId"]) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/Payments") {}
