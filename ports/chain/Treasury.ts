/**
 * The solver's money on a chain: prepares, signs and broadcasts a payment, and reports its outcome.
 *
 * These are four steps, so that a payment is signed, then stored, then broadcast. After a crash the stored bytes are
 * broadcast again. Where a chain counts an account's transactions, the `sequence` (a nonce) prevents a second payment:
 * all variants of a payment share it and differ only in their fees. On other chains the sequence only numbers the
 * account's payments, and a payment is signed again only once it is proven that the old one can never be executed.
 */
import * as Brand from "effect/Brand"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Address } from "../../src/domain/chain/Address.ts"
import { CurrencyAddress } from "../../src/domain/chain/Address.ts"
import { ChainId } from "../../src/domain/chain/ChainId.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import type { PaymentOutcome as OutcomeOnChain } from "../../src/domain/transfer/payment/PaymentOutcome.ts"
import type { ReplacementBounds } from "../../src/domain/transfer/payment/ReplacePayment.ts"
import type { SignerUnavailable } from "../signing/SignerUnavailable.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import type { Holding, Payment } from "./PaymentKinds.ts"
import type { ReadBy } from "./ReadBy.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** A signed payment, ready to be stored and broadcast. */
export interface SignedPayment {
  readonly transactionId: TransactionId
  /**
   * The signed transaction in its family's encoding. It is all that is needed to broadcast the payment any number of
   * times, and to prove later that it has expired. Only the family's adapter decodes it.
   */
  readonly raw: string
}

/**
 * Something that one payment alone may spend, as its family names it: an unspent output. The store keeps it with the
 * payment from the signature on. It is free again only when the payment is set aside, because it can never be executed.
 */
export type PaymentClaim = string & Brand.Brand<"PaymentClaim">
export const PaymentClaim = Brand.nominal<PaymentClaim>()

/** Another payment, in its newest form, and what it holds. */
export interface Claimant extends SignedPayment {
  readonly claims: ReadonlyArray<PaymentClaim>
}

/** A payment as its signer returns it, with what it claims. Every later variant holds the same claims. */
export interface SignedWithClaims extends SignedPayment {
  /** Absent on chains where payments claim nothing. */
  readonly claims?: ReadonlyArray<PaymentClaim>
}

/** What a payment takes from one holding, in smallest units of that holding's currency. */
export interface PaymentCost {
  /** The solver's account, or its vault. */
  readonly holder: Address
  readonly currency: CurrencyAddress
  /** An upper bound: for the native currency it includes the most that gas can cost. */
  readonly amount: bigint
  /** The holder's balance on the chain. Payments in flight are not subtracted. */
  readonly balance: bigint
}

/** A payment as one account makes it. It needs only its sequence to be signed. */
export interface AccountPayment {
  /** The paying account. */
  readonly account: Address
  /** One entry for each holding that it draws on. */
  readonly costs: ReadonlyArray<PaymentCost>
  /** The account's next free sequence according to the chain. */
  readonly chainSequence: bigint
  /**
   * The most that its gas can cost at the fees that it is signed with, smallest units of the native currency; absent
   * where no payment runs code.
   */
  readonly mostGas?: bigint
  /** It runs its recipient's code, apart from calls of its request. Absent where it runs none. */
  readonly runsCode?: true
  /** The gas or energy that it may take, where it runs strangers' code (`Gas.unitsOf`). Absent where it runs none. */
  readonly codeUnits?: bigint
  /**
   * Native currency that it leaves with the recipient besides its amount, for an account that it opens. It is carried
   * out only if it leaves no more than that. Absent on chains where payments open no accounts.
   */
  readonly rent?: bigint
  /**
   * What it may claim; absent on chains where payments claim nothing. Where it is present, what `sign` finds unclaimed
   * decides whether the account can pay, and not the sums of `costs`.
   */
  readonly claimable?: ReadonlyArray<PaymentClaim>
  /**
   * `others`: the chain's payments with claims that are in no block yet, and those that hold something `claimable`;
   * empty without `claimable`. Called again with more of them when it claims what another holds. Refused when what is
   * left does not suffice. Safe to retry after a failure, under the same sequence or another one, because nothing was
   * signed.
   */
  readonly sign: (
    sequence: bigint,
    others: ReadonlyArray<Claimant>
  ) => Effect.Effect<SignedWithClaims, SignerUnavailable | PaymentRefused>
}

/**
 * A payment by the first account that can make it, and by others that can. Where it is signed, one of them is chosen.
 */
export interface PreparedPayment extends AccountPayment {
  /** In the order of preference; absent where no other account can make it. */
  readonly others?: ReadonlyArray<AccountPayment>
}

/** A replacement of a signed payment at another fee, ready to be signed. */
export interface PreparedReplacement {
  /** What it can take beyond the payment that it replaces, in the native currency of the paying account. */
  readonly extra: PaymentCost
  /** The most that its gas can cost, smallest units of the native currency. */
  readonly mostGas: bigint
  /** It runs its recipient's code, apart from calls of its request. Absent where it runs none. */
  readonly runsCode?: true
  /**
   * For a payment with claims, which pays `extra` out of them: what others could have claimed and would not exist any
   * more. While a payment holds some of it, nothing is signed: the replacement would make that payment impossible.
   */
  readonly undoes?: ReadonlyArray<PaymentClaim>
  readonly sign: Effect.Effect<SignedPayment, SignerUnavailable>
}

/**
 * A node's answer to a payment: `accepted`, now or before; `underpriced`, its fee is too low, by itself or to replace
 * the one that the node has; `unfunded`, the account does not hold what it can cost; or `unauthorized`, the node
 * rejects the authorizations that it carries.
 */
export type Broadcast = "accepted" | "underpriced" | "unfunded" | "unauthorized"

/** A call that failed in simulation, with the contract's own error (ERROR-1, shape A). */
export const FailedCall = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  data: Schema.String,
  value: Schema.String
})
export type FailedCall = typeof FailedCall.Type

/** The chain would reject the payment: too little money, or a recipient or a call that refuses it. */
export class PaymentRefused extends Schema.TaggedError<PaymentRefused>()("PaymentRefused", {
  /** `unroutable`: the source of a swap's routes cannot be asked now. It may answer later. */
  reason: Schema.Literals(["insufficient-funds", "reverts", "unroutable"]),
  /** The call that was simulated, and the block of the simulation; only with "reverts". */
  failed: Schema.optionalKey(Schema.Struct({ call: FailedCall, block: Schema.BigIntFromString })),
  /** A currency that keeps part of each transfer, so that no exact amount can be paid in it; only with "reverts". */
  unpayable: Schema.optionalKey(Schema.Struct({ chainId: ChainId, currency: CurrencyAddress })),
  /**
   * A payment that swaps: its transaction is too large, or its recipient is no wallet. Or any payment to an account that
   * does not exist, where only its owner can open one, or to the account that pays, where that cannot be told from its
   * change: `NoRefundAccount` and `OwnRefundAccount` when it is the refund's. Only with "reverts".
   */
  unfit: Schema.optionalKey(Schema.Union([
    Schema.TaggedStruct("TooLarge", { bytes: Schema.Int, limit: Schema.Int }),
    Schema.TaggedStruct("NoWallet", {}),
    Schema.TaggedStruct("NoAccount", {}),
    Schema.TaggedStruct("NoRefundAccount", {}),
    Schema.TaggedStruct("OwnAccount", {}),
    Schema.TaggedStruct("OwnRefundAccount", {})
  ]))
}) {
  override get message(): string {
    switch (this.reason) {
      case "reverts":
        return "the chain does not execute the payment, or not within its gas limit"
      case "insufficient-funds":
        return "the treasury does not hold enough for the payment and its gas"
      case "unroutable":
        return "no routes can be asked for now, so the payment's swap cannot be made"
    }
  }
}

/** The state of a broadcast payment on its chain, over all of its variants. */
export type PaymentOutcome = OutcomeOnChain

/** The variants of one payment, oldest first. Never empty. */
export type Variants = readonly [SignedPayment, ...ReadonlyArray<SignedPayment>]

/** A payment that is in no block. */
export interface PendingPayment {
  readonly sequence: bigint
  readonly variants: Variants
  /** Milliseconds: when the newest variant was signed, or when the payment was last seen in a block. */
  readonly since: number
}

/** What to do with a payment that is in no block. */
export type JudgedReplacement =
  | { readonly _tag: "Wait" }
  /** It should be replaced, but the fee ceiling does not allow it, or it has nothing left to pay more with. */
  | { readonly _tag: "Exhausted" }
  | {
    readonly _tag: "Replace"
    /** The same payment at the higher fee: sequence, recipient, value and data are taken from the signed bytes. */
    readonly whole: Effect.Effect<PreparedReplacement, ChainUnavailable>
    /**
     * The same payment at that fee, with so much less gas that it cannot cost more than now; undefined when no block
     * would accept that.
     */
    readonly within: Effect.Effect<PreparedReplacement | undefined, ChainUnavailable>
  }

/** How a chain lets a pending payment be replaced at another fee. What a fee is there, only its adapter knows. */
export interface Replacing {
  /** By the chain's current fees, and how far it has advanced. `now` in milliseconds. */
  readonly judge: (
    chain: Chain,
    waiting: PendingPayment,
    bounds: ReplacementBounds,
    now: number
  ) => Effect.Effect<JudgedReplacement, ChainUnavailable>
  /**
   * The same payment at the same fees, without the authorizations that it carries: they belong to other accounts, and a
   * chain skips invalid ones anyway.
   */
  readonly withoutAuthorizations: (
    chain: Chain,
    signed: SignedPayment
  ) => Effect.Effect<PreparedReplacement, ChainUnavailable>
}

/**
 * The solver's money on a chain, by steps: prepare, sign, broadcast, outcome. Broadcasting the same bytes again is
 * safe.
 */
export class Treasury extends Context.Service<Treasury, {
  /**
   * What each account of the holding can pay out in this currency now, without subtracting reserved inventory. A
   * payment comes from one of them as a whole.
   */
  readonly inventory: (
    chain: Chain,
    currency: Currency,
    holding: Holding
  ) => Effect.Effect<ReadonlyArray<bigint>, ChainUnavailable>
  /**
   * Fails with `SignerUnavailable` only where the key's account has to be read from the signer: for a deposit address.
   */
  readonly prepare: (
    payment: Payment
  ) => Effect.Effect<PreparedPayment, ChainUnavailable | PaymentRefused | SignerUnavailable>
  /** Broadcasting a payment that the chain already has is not an error. */
  readonly broadcast: (chain: Chain, signed: SignedPayment) => Effect.Effect<Broadcast, ChainUnavailable>
  /**
   * `variants`: every variant ever signed for the payment's sequence, oldest first. A final inclusion, `Superseded` and
   * `Expired` always need the quorum. With `by` "quorum", every answer does.
   */
  readonly outcome: (chain: Chain, variants: Variants, by: ReadBy) => Effect.Effect<PaymentOutcome, ChainUnavailable>
  /**
   * Undefined where two variants of one payment could both be executed. There a payment is executed or expires; it is
   * never replaced.
   */
  readonly replacing: (chain: Chain) => Replacing | undefined
}>()("causeway/ports/Treasury") {}

/** The family of each call of this port. */
export const routeTreasury: Routing<Treasury["Service"]> = (to) => ({
  inventory: to((it) => it.inventory, ofChain),
  prepare: to((it) => it.prepare, ([{ chain }]) => chain.family),
  broadcast: to((it) => it.broadcast, ofChain),
  outcome: to((it) => it.outcome, ofChain),
  replacing: to((it) => it.replacing, ofChain)
})
