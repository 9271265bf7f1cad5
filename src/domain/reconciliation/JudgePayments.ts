/**
 * Whether a store's payments are those of the chain: each one recorded as made was made, with the recorded recipient
 * and amount, and no deposit was paid for twice.
 */
import type { Address, CurrencyAddress } from "../chain/Address.ts"
import type { TransactionId } from "../chain/TransactionId.ts"
import type { OrderId } from "../order/Order.ts"
import type { Finding, FindingKind } from "./Finding.ts"
import type { KeptPayment } from "./KeptPayment.ts"
import { isPaymentInScope } from "./ReconciliationScope.ts"
import type { Since } from "./ReconciliationScope.ts"

/** A transaction of the paying account as its chain shows it. */
export interface SeenPayment {
  readonly transactionId: TransactionId
  /** The id under which it was signed, where the chain names it otherwise. */
  readonly signedAs?: TransactionId
  /** Undefined on a chain without sequences. */
  readonly sequence: bigint | undefined
  readonly succeeded: boolean
  /** Undefined when it is not a payment of this service. */
  readonly payment: {
    readonly orderId: OrderId
    readonly recipient: Address
    readonly currency: CurrencyAddress
    readonly amount: bigint
    readonly topup?: bigint
  } | undefined
  /** The account spent nothing but gas: the transaction only used up its sequence, or swept a deposit address. */
  readonly movesNothing: boolean
}

const nameOf = ({ leg, orderId, transactionId }: KeptPayment): string => `${leg} of order ${orderId} (${transactionId})`

const described = (sequence: bigint | string, payment: SeenPayment["payment"], movesNothing: boolean): string => {
  if (movesNothing) return `nothing of the account's own, sequence ${sequence}`
  if (payment === undefined) return `no payment, sequence ${sequence}`
  const { amount, currency, orderId, recipient, topup = 0n } = payment
  return `${amount} of ${currency}${
    topup === 0n ? "" : ` and a topup of ${topup}`
  } to ${recipient} for order ${orderId}, sequence ${sequence}`
}

/**
 * Sweeps, permits and submissions to the hub: their rows hold their own id in place of an order's, and the chain shows
 * no payment.
 */
const movesNothing = ({ leg }: KeptPayment): boolean =>
  ["sweep", "permit", "settlement"].includes(leg.split("!")[0] ?? leg)

const judgeOne = (chain: string, kept: KeptPayment, seen: SeenPayment | undefined): ReadonlyArray<Finding> => {
  const finding = (kind: FindingKind, stored: string, found: string): Finding => ({
    kind,
    chain,
    about: nameOf(kept),
    stored,
    found
  })
  if (seen === undefined) {
    return kept.state === "included" || kept.state === "reverted"
      ? [finding("payment-missing", kept.state, "no such transaction in a block")]
      : []
  }
  const stored = described(kept.sequence, kept, movesNothing(kept))
  const found = described(seen.sequence ?? kept.sequence, seen.payment, seen.movesNothing)
  return [
    ...(kept.state === "included" && !seen.succeeded ? [finding("payment-failed", "included", "it failed")] : []),
    ...((kept.state === "reverted" || kept.state === "void") && seen.succeeded
      ? [finding("payment-succeeded", kept.state, "it succeeded")]
      : []),
    ...(stored === found ? [] : [finding("payment-differs", stored, found)])
  ]
}

/** `seen` holds the chain's data by transaction; transactions that are in no block are missing from it. */
export const judgePayments = (
  chain: string,
  kept: ReadonlyArray<KeptPayment>,
  seen: ReadonlyMap<TransactionId, SeenPayment>
): ReadonlyArray<Finding> => kept.flatMap((payment) => judgeOne(chain, payment, seen.get(payment.transactionId)))

/**
 * True for a single payment, or for a fill (or its fallback) beside which the deposit's excess was returned. Also beside
 * a refund, if the deposit had more by then than it was made for (REFUND-9).
 */
const isOneAnswer = (payments: ReadonlyArray<KeptPayment>): boolean => {
  const [excess] = payments.filter(({ leg }) => leg.startsWith("excess:"))
  const [other] = payments.filter(({ leg }) => !leg.startsWith("excess:"))
  if (payments.length === 1) return true
  if (payments.length !== 2 || excess === undefined || other === undefined) return false
  return other.leg === "fill" || other.leg === "fallback" ||
    (other.leg.startsWith("refund:") && other.deposited !== undefined && excess.deposited !== undefined &&
      excess.deposited > other.deposited)
}

/**
 * For payments of all chains: a deposit is filled or refunded, never both. Reports only deposits with a payment that
 * this run examines.
 */
export const judgeTwice = (kept: ReadonlyArray<KeptPayment>, since: Since): ReadonlyArray<Finding> => {
  const byDeposit = Map.groupBy(kept.filter(({ state }) => state === "included"), ({ deposit }) => deposit)
  return [...byDeposit].filter(([, payments]) =>
    !isOneAnswer(payments) && payments.some((payment) => isPaymentInScope(payment, since))
  ).map(([deposit, payments]): Finding => ({
    kind: "paid-twice",
    chain: undefined,
    about: `deposit ${deposit}`,
    stored: "one answer to a deposit",
    found: payments.map(nameOf).join(" and ")
  }))
}

/** A transaction of the account that has no row in the store. */
export const judgeUnrecorded = (
  chain: string,
  kept: ReadonlyArray<KeptPayment>,
  sent: ReadonlyArray<SeenPayment>
): ReadonlyArray<Finding> => {
  const known = new Set(kept.map(({ transactionId }) => transactionId))
  return sent.filter(({ movesNothing, signedAs, transactionId }) =>
    !movesNothing && !known.has(transactionId) && (signedAs === undefined || !known.has(signedAs))
  ).map((
    { movesNothing, payment, sequence, succeeded, transactionId }
  ): Finding => ({
    kind: "payment-unrecorded",
    chain,
    about: transactionId,
    stored: "nothing",
    found: `${described(sequence ?? "none", payment, movesNothing)}${succeeded ? "" : ", failed"}`
  }))
}
