/**
 * Which purpose a payment found on a chain has: the order's fill, the refund of one of its deposits, or, at a strict
 * address, the excess of the deposit that was filled.
 *
 * A payment names the order and nothing else. If several returns fit, the smallest that covers the payment is taken,
 * because a return is reduced by its gas.
 */
import type { Address, CurrencyAddress } from "../../chain/Address.ts"
import type { ChainId } from "../../chain/ChainId.ts"
import type { Hex32 } from "../../encoding/Hex.ts"
import type { OrderId } from "../../order/Order.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import { excessOf } from "../refund/Excess.ts"
import { couldFill, deliveredInput } from "./CouldFill.ts"
import { unpaidOf } from "./MissingDeposit.ts"
import type { PaidFor } from "./MissingDeposit.ts"
import { planRefund } from "../refund/RefundPlan.ts"
import { fallsBack } from "../Transfer.ts"
import type { Transfer } from "../Transfer.ts"

/** What was paid, smallest units. */
export interface PaidOut {
  /** Whether the vault made the payment, and whether it ran calls; absent when the account paid directly. */
  readonly through?: "vault" | "calls"
  readonly chainId: ChainId
  readonly recipient: Address
  readonly currency: CurrencyAddress
  readonly amount: bigint
}

/** The purpose that a payment found on chain was made for, with the deposit that it belongs to. */
export type PaidPurpose =
  | { readonly _tag: "Fill"; readonly deposit: Hex32 }
  /** The input of the fill's swap, paid in place of the fill. */
  | { readonly _tag: "Fallback"; readonly deposit: Hex32 }
  | { readonly _tag: "Refund"; readonly deposit: Hex32 }
  | { readonly _tag: "Excess"; readonly deposit: Hex32 }
  /** Names itself, because it belongs to no deposit. */
  | { readonly _tag: "Payout"; readonly deposit: Hex32 }

/**
 * In place of a deposit, for a fill that no known deposit has claimed: it belongs to whichever deposit turns out to have.
 * No deposit has the order's id as its own.
 */
const unclaimed = (orderId: OrderId): Hex32 => orderId

/** True for a delivery whose deposit is not known: a reorg dropped it while the store had forgotten both. */
export const isUnclaimed = ({ deposit, orderId }: { readonly deposit: Hex32; readonly orderId: OrderId }): boolean =>
  deposit === unclaimed(orderId)

/** The recipient and currency of an order's delivery. An order whose fill swaps is filled only by its calls, or route. */
const deliveredAs = (
  { terms }: Transfer,
  { chainId, currency, recipient, through }: PaidOut
): "Fill" | "Fallback" | undefined => {
  if (chainId !== terms.destinationChainId || currency !== terms.destinationCurrency || recipient !== terms.recipient) {
    return undefined
  }
  if (terms.destinationSwap === undefined || through === "calls") return "Fill"
  // Where the fill's own transaction swaps there is no vault.
  const isUnswapped = through === (terms.destinationSwap.route === undefined ? "vault" : undefined)
  return isUnswapped && fallsBack(terms) ? "Fallback" : undefined
}

/** An amount that may have been returned, less its gas. */
interface Returned {
  readonly leg: PaidPurpose
  readonly amount: bigint
}

/** A deposit with those of its payments that are known. */
export interface AnsweredDeposit {
  readonly deposit: Deposit
  readonly payments: ReadonlyArray<PaidFor>
}

/** Which payments of an order are known. */
export interface PaidReturns {
  /** The order's fill, or what was paid in its place. */
  readonly isDelivered: boolean
  /** Deposits that name the order and have no refund yet, oldest first. */
  readonly unrefunded: ReadonlyArray<Deposit>
  /** Deposits whose excess is paid. */
  readonly excesses: ReadonlySet<Hex32>
  /** Those of the deposits that a stored payment fills or refunds, and whose excess is not paid. */
  readonly answered: ReadonlyArray<AnsweredDeposit>
}

/** Which deposit was filled: "unknown" while fills are searched for; undefined when there is none. */
export type Filled = Hex32 | "unknown" | undefined

/**
 * The smallest first. SECURITY: a refund of a deposit that was filled comes last. Of two equal deposits the other one
 * was refunded, and would be refunded again.
 */
const likeliestFirst = (filled: Filled) => (one: Returned, other: Returned): number => {
  const isOfFilled = ({ leg }: Returned) => Number(leg._tag === "Refund" && leg.deposit === filled)
  return isOfFilled(one) - isOfFilled(other) ||
    Number(one.amount > other.amount) - Number(one.amount < other.amount)
}

/**
 * All of a deposit; and if it was filled, or may have been, its amount above the quoted one. SECURITY: an excess is paid
 * once. A second payment of that amount is a refund of another deposit, which would be refunded again.
 */
const returnsOf = (
  transfer: Transfer,
  deposit: Deposit,
  { excesses }: PaidReturns,
  filled: Filled
): ReadonlyArray<Returned> => {
  const { amount, onchainId } = deposit
  const isFilled = !excesses.has(onchainId) &&
    (filled === onchainId || filled === "unknown" || filled === unclaimed(transfer.orderId))
  const excess: Returned = {
    leg: { _tag: "Excess", deposit: onchainId },
    amount: isFilled ? excessOf(transfer, deposit) : 0n
  }
  return [{ leg: { _tag: "Refund", deposit: onchainId }, amount }, excess]
}

/** What came back more than left may have been returned beside the payment that is known (REFUND-9). */
const grownOf = (transfer: Transfer, { answered }: PaidReturns): ReadonlyArray<Returned & { readonly of: Deposit }> =>
  answered.map(({ deposit, payments }) => ({
    leg: { _tag: "Excess", deposit: deposit.onchainId },
    of: deposit,
    amount: unpaidOf(transfer, payments, deposit) ?? 0n
  }))

/**
 * The deposit that the order's delivery has answered: of those that it fits (RESTORE-5) the one whose amount is nearest
 * to the quoted proportion, and the oldest of equal ones. SECURITY: dust that came first was not filled. Counted as
 * filled, it would have the real deposit refunded beside its fill.
 */
const claimantOf = (transfer: Transfer, deposits: ReadonlyArray<Deposit>, paid: bigint): Deposit | undefined => {
  const { amountIn, amountOut } = transfer.terms
  const distance = (deposit: Deposit): bigint => {
    const apart = deliveredInput(transfer.terms, deposit) * amountOut - paid * amountIn
    return apart < 0n ? -apart : apart
  }
  const [nearest] = deposits
    .filter((deposit) => couldFill(transfer, paid, deposit))
    .toSorted((one, other) => Number(distance(one) > distance(other)) - Number(distance(one) < distance(other)))
  return nearest
}

/**
 * Undefined when the payment fits nothing of the order that is not paid yet. A deposit on the wrong chain may be refunded
 * to the same recipient as the fill; then the minimum of the quote tells the two apart. SECURITY: an order is delivered
 * once. Beside its delivery, whatever fits a refund is one, and would be paid again.
 */
export const purposeOfPayment = (
  transfer: Transfer,
  returns: PaidReturns,
  paid: PaidOut,
  filled: Filled
): PaidPurpose | undefined => {
  const { minimumOut } = transfer.terms
  const { unrefunded } = returns
  const couldReturn = (deposit: Deposit): boolean =>
    deposit.chainId === paid.chainId && deposit.currency === paid.currency &&
    planRefund(transfer, deposit).recipient === paid.recipient
  const whole = unrefunded.filter(couldReturn).flatMap((deposit) => returnsOf(transfer, deposit, returns, filled))
  const [returned] = [...whole, ...grownOf(transfer, returns).filter(({ of }) => couldReturn(of))]
    .filter(({ amount }) => amount >= paid.amount)
    .toSorted(likeliestFirst(filled))
  const refund = returned?.leg
  const delivery = deliveredAs(transfer, paid)
  if (delivery === undefined) return refund
  const claimant = claimantOf(transfer, unrefunded, paid.amount)
  // The vault never pays refunds.
  if (
    refund !== undefined && paid.through === undefined &&
    (returns.isDelivered || claimant === undefined || paid.amount < minimumOut)
  ) {
    return refund
  }
  return { _tag: delivery, deposit: claimant?.onchainId ?? unclaimed(transfer.orderId) }
}
