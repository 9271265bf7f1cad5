/**
 * Why a claim is not attested: one append-only table of reasons, and the error that carries a reason.
 *
 * The first three are facts that cannot be attested yet, so the same claim may be made again later (ORACLE-12, errors).
 * `detail` names what was claimed and never an endpoint, a key or a URL.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** Don't remove, don't reorder: clients and peers distinguish refusals by these words. */
export const refusalReasons = {
  "not-found": "the chain knows no such transaction",
  "not-final": "the transaction is on the chain, but not final yet",
  "unread": "the evidence that the claim needs was not read",
  "reverted": "the transaction failed, so nothing in it happened",
  "unknown-chain": "the chain is not one of those configured",
  "wrong-chain": "the evidence is of another chain than the claim needs",
  "malformed": "a member of the claim is not valid",
  "invalid-order": "the order cannot be hashed",
  "wrong-order-signature": "the order is not signed by its solver",
  "duplicate-onchain-id": "two entries name one deposit",
  "missing-entry": "an input of the order has no entry",
  "extra-entry": "an entry names no input, or one that has an entry already",
  "no-deposit": "the transaction contains no such deposit into the depository",
  "wrong-order-id": "the deposit or the payment is not of this order",
  "wrong-currency": "the deposit is in another currency than the order's",
  "zero-weight": "what the order requests weighs nothing",
  "no-order-id": "the transaction names no order",
  "several-order-ids": "the transaction names several orders, and proves none",
  "late": "the payment came after the deadline",
  "underpaid": "a recipient was paid less than is due",
  "calls-not-executed": "the order's calls were not executed, or not in their order",
  "unknown-refund": "the order has no such refund option",
  "zero-refund": "nothing is due as a refund",
  "no-refund-recipient": "the depositor has no account on the refund's chain",
  "invalid-withdrawal": "the bytes are not a withdrawal that can be attested",
  "wrong-withdrawal": "the evidence is of another withdrawal",
  "request-mismatch": "the withdrawal does not pay what the request says",
  "invalid-issuance": "the allocator did not issue this withdrawal",
  "wrong-transaction": "the transaction did not execute this withdrawal",
  "wrong-signature": "the owner did not sign this",
  "zero-amount": "an amount of zero moves nothing",
  "insufficient-balance": "the balance on the hub does not cover the amount",
  "not-observed": "this version of the oracle reads no chain of that family",
  "no-explorer":
    "this oracle has no Bitcoin explorer (BITCOIN_ESPLORA_COMPATIBLE_API_URL), which finds the transaction that spent a coin: ask another oracle, or this one's operator",
  "too-large":
    "withdrawals of more than 500 coins are not supported, nor claims whose transactions hold more than 64 MiB"
} as const

/** One key of the append-only table of reasons. */
export type RefusalReason = keyof typeof refusalReasons

const isReason = (text: string): text is RefusalReason => Object.hasOwn(refusalReasons, text)

export const RefusalReason = Schema.Literals(Object.keys(refusalReasons).filter(isReason))

/** Why a claim is not attested. `reason` is stable; the detail is for people. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  reason: RefusalReason,
  detail: Schema.String,
  /** With "not-final": the blocks on top of the transaction's block, and how many are required. */
  confirmations: Schema.optionalKey(Schema.Int),
  needed: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return this.detail === "" ? refusalReasons[this.reason] : `${refusalReasons[this.reason]}: ${this.detail}`
  }
}

/** A failure with this reason. `detail` is cut to a length that is safe to answer and log. */
export const refuse = (reason: RefusalReason, detail: string = ""): Result.Result<never, Refusal> =>
  Result.fail(new Refusal({ reason, detail: detail.slice(0, 200) }))

/** Turns any error of an encoder into a refusal with this reason. */
export const refusing = (reason: RefusalReason) => (cause: { readonly message: string }): Refusal =>
  new Refusal({ reason, detail: cause.message.slice(0, 200) })

/** True for a claim that may become attestable. A client may ask again later. */
export const isNotYet = (refusal: Refusal): boolean =>
  refusal.reason === "not-found" || refusal.reason === "not-final" || refusal.reason === "unread"
