/**
 * The solver's money on a chain: preparing, signing, broadcasting a payment and learning its outcome.
 *
 * The four are apart so that a payment is signed, then stored, then broadcast; after a crash the stored bytes are
 * broadcast again. What makes a second payment impossible is the `sequence` where a chain counts an account's
 * transactions (a nonce): it is the same for all variants of a payment, which differ in their fees and in nothing else.
 * Elsewhere the sequence only numbers the account's payments, and one is signed anew when it is proven that the old one
 * never can come.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Address } from "../../src/domain/chain/Address.ts"
import { CurrencyAddress } from "../../src/domain/chain/Address.ts"
import { ChainId } from "../../src/domain/chain/ChainId.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import type { BlockRef } from "../../src/domain/transfer/deposit/Deposit.ts"
import type { FeeBid, FeeMarket } from "../../src/domain/transfer/payment/ReplacePayment.ts"
import type { SignerUnavailable } from "../signing/SignerUnavailable.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import type { Holding, Payment } from "./PaymentKinds.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** A signed payment, ready to be stored and broadcast. */
export interface SignedPayment {
  readonly transactionId: TransactionId
  /**
   * The signed transaction as its family writes it down: all that is needed to broadcast it any number of times, and to
   * say later that it can come no more. Nobody but the family's adapter reads it.
   */
  readonly raw: string
}

/** What carrying out a payment takes from one holding, in smallest units of its currency. */
export interface PaymentCost {
  /** The solver's account, or its vault. */
  readonly holder: Address
  readonly currency: CurrencyAddress
  /** At most: a native amount includes the most that gas can cost. */
  readonly amount: bigint
  /** What the holder has, as the chain counts it: payments on their way are not taken off. */
  readonly balance: bigint
}

/** A payment that waits for its sequence to be signed. */
export interface PreparedPayment {
  /** The paying account. */
  readonly account: Address
  /** One for each holding that it draws on. */
  readonly costs: ReadonlyArray<PaymentCost>
  /** The next free sequence of the account as the chain counts it. */
  readonly chainSequence: bigint
  /**
   * The most that its gas can cost at the fees that it is signed with, smallest units of the native currency; left out
   * where no calls run.
   */
  readonly mostGas?: bigint
  /** Nothing of what is not signed is anywhere: it is tried again, under the same sequence or another one. */
  readonly sign: (sequence: bigint) => Effect.Effect<SignedPayment, SignerUnavailable>
}

/** A signed payment at another fee, waiting to be signed. */
export interface PreparedReplacement {
  /** What it can take beyond what it replaces, of the native currency of the paying account. */
  readonly extra: PaymentCost
  /** The most that its gas can cost, smallest units of the native currency. */
  readonly mostGas: bigint
  readonly sign: Effect.Effect<SignedPayment, SignerUnavailable>
}

/**
 * What a node said to a payment: it has it, now or already; it offers too little per gas, by itself or to replace what
 * the node has; the account does not hold what it can cost; or it does not take the authorizations that it carries.
 */
export type Broadcast = "accepted" | "underpriced" | "unfunded" | "unauthorized"

/** A call that failed when it was tried, in the contract's words (ERROR-1, shape A). */
export const FailedCall = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  data: Schema.String,
  value: Schema.String
})
export type FailedCall = typeof FailedCall.Type

/** The chain would not carry out the payment: too little money, or a recipient or a call that refuses it. */
export class PaymentRefused extends Schema.TaggedError<PaymentRefused>()("PaymentRefused", {
  reason: Schema.Literals(["insufficient-funds", "reverts"]),
  /** What was tried, and at which block; with "reverts". */
  failed: Schema.optionalKey(Schema.Struct({ call: FailedCall, block: Schema.BigIntFromString })),
  /** A currency of which nobody can be paid an exact amount, because it keeps part of each transfer; with "reverts". */
  unpayable: Schema.optionalKey(Schema.Struct({ chainId: ChainId, currency: CurrencyAddress }))
}) {
  override get message(): string {
    return this.reason === "reverts"
      ? "the chain does not carry out the payment, or not for the gas that it may take"
      : "the treasury does not hold enough for the payment and its gas"
  }
}

/** How a broadcast payment stands on its chain, all of its variants together. */
export type PaymentOutcome =
  /** The newest variant is not known to the chain now: broadcast it again. */
  | { readonly _tag: "Unseen" }
  /** A final block has used its sequence, and holds none of its variants: it can never be carried out. */
  | { readonly _tag: "Superseded" }
  /**
   * Its time is over: a final block is past the last one that could have held any of its variants, and none did. Nobody
   * else has done anything for that: it is what happens to payments on chains that forget them, and no alarm.
   */
  | { readonly _tag: "Expired" }
  | { readonly _tag: "Pending" }
  | {
    readonly _tag: "Included"
    /** The variant that is in a block: the payment. */
    readonly transactionId: TransactionId
    readonly block: BlockRef
    readonly succeeded: boolean
    /** What the transaction itself cost, smallest units of the native currency. */
    readonly gasPaid: bigint
    /**
     * What it left with an account that it opened, of the same; left out where a chain asks for nothing of the kind.
     */
    readonly rentPaid?: bigint | undefined
    readonly final: boolean
  }

/** The variants of one payment, the first first: never none. */
export type Variants = readonly [SignedPayment, ...ReadonlyArray<SignedPayment>]

/** How a chain lets a payment that waits for its block be replaced at another fee. */
export interface Replacing {
  /** What the chain asks of a payment now, and how far it is with the sequences of the account that signed this one. */
  readonly feeMarket: (chain: Chain, signed: SignedPayment) => Effect.Effect<FeeMarket, ChainUnavailable>
  readonly bidOf: (signed: SignedPayment) => FeeBid
  /**
   * The same payment at other fees: sequence, recipient, value and data are those of the bytes that were signed. The
   * authorizations that it carries are other accounts', and may be left out: a chain skips those that do not hold as
   * well.
   */
  readonly reprice: (
    chain: Chain,
    signed: SignedPayment,
    bid: FeeBid,
    leftOut?: "authorizations"
  ) => Effect.Effect<PreparedReplacement, ChainUnavailable>
  /**
   * The same at other fees and with so much less gas that it can cost no more than it does; undefined where no block
   * would take that.
   */
  readonly repriceWithin: (
    chain: Chain,
    signed: SignedPayment,
    bid: FeeBid
  ) => Effect.Effect<PreparedReplacement | undefined, ChainUnavailable>
}

export class Treasury extends Context.Service<Treasury, {
  /** What the treasury can pay out in this currency now, without regard to what is promised. */
  readonly inventory: (chain: Chain, currency: Currency, holding: Holding) => Effect.Effect<bigint, ChainUnavailable>
  /** Fails for its signer only where it has to be asked whose key it is: that of a deposit address. */
  readonly prepare: (
    payment: Payment
  ) => Effect.Effect<PreparedPayment, ChainUnavailable | PaymentRefused | SignerUnavailable>
  /** Sending what the chain already has is no error. */
  readonly broadcast: (chain: Chain, signed: SignedPayment) => Effect.Effect<Broadcast, ChainUnavailable>
  /** `variants`: every one that was ever signed for the payment's sequence, the first first. */
  readonly outcome: (chain: Chain, variants: Variants) => Effect.Effect<PaymentOutcome, ChainUnavailable>
  /**
   * Undefined where two variants of one payment could both be carried out: there a payment is carried out, or it
   * expires.
   */
  readonly replacing: (chain: Chain) => Replacing | undefined
}>()("causeway/ports/Treasury") {}

export const routeTreasury: Routing<Treasury["Service"]> = (to) => ({
  inventory: to((it) => it.inventory, ofChain),
  prepare: to((it) => it.prepare, ([{ chain }]) => chain.family),
  broadcast: to((it) => it.broadcast, ofChain),
  outcome: to((it) => it.outcome, ofChain),
  replacing: to((it) => it.replacing, ofChain)
})
