/**
 * Which purpose a payment found on a chain has: the order's fill, the refund of one of its deposits, or, at a strict
 * address, the excess of the deposit that was filled.
 *
 * A payment names the order and nothing else. If several returns fit, the smallest that covers the payment is taken,
 * because a return is reduced by its gas.
 */
import type { Address, CurrencyAddress } from "../../chain/Address.ts"
import type { ChainId } from "../../chain/ChainId.ts"
import { Hex32 } from "../../encoding/Hex.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import { excessOf } from "../refund/Excess.ts"
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

export type PaidPurpose =
  | { readonly _tag: "Fill"; readonly deposit: Hex32 }
  /** The input of the fill's swap, paid in place of the fill. */
  | { readonly _tag: "Fallback"; readonly deposit: Hex32 }
  | { readonly _tag: "Refund"; readonly deposit: Hex32 }
  | { readonly _tag: "Excess"; readonly deposit: Hex32 }
  /** Names itself, because it belongs to no deposit. */
  | { readonly _tag: "Payout"; readonly deposit: Hex32 }

/** No deposit has this id: the fill belongs to whichever deposit turns out to have claimed it. */
const NO_DEPOSIT = Hex32.make(`0x${"0".repeat(64)}`)

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

/** All of a deposit; and if it was filled, or may have been, its amount above the quoted one. */
const returnsOf = (transfer: Transfer, deposit: Deposit, filled: Filled): ReadonlyArray<Returned> => {
  const { amount, onchainId } = deposit
  const isFilled = filled === onchainId || filled === "unknown" || filled === NO_DEPOSIT
  const excess: Returned = {
    leg: { _tag: "Excess", deposit: onchainId },
    amount: isFilled ? excessOf(transfer, deposit) : 0n
  }
  return [{ leg: { _tag: "Refund", deposit: onchainId }, amount }, excess]
}

/**
 * The deposit that the order's delivery has answered: the one whose amount is nearest to the quoted proportion, and the
 * oldest of equal ones. SECURITY: dust that came first was not filled. Counted as filled, it would have the real deposit
 * refunded beside its fill.
 */
const claimantOf = ({ terms }: Transfer, deposits: ReadonlyArray<Deposit>, paid: bigint): Deposit | undefined => {
  const { amountIn, amountOut, depositAddress, originChainId, originCurrency, tradeType } = terms
  const isCapped = tradeType === "EXACT_OUTPUT" || depositAddress?.mode === "strict"
  const distance = ({ amount }: Deposit): bigint => {
    const filled = isCapped && amount > amountIn ? amountIn : amount
    const apart = filled * amountOut - paid * amountIn
    return apart < 0n ? -apart : apart
  }
  const [nearest] = deposits
    .filter(({ chainId, currency }) => chainId === originChainId && currency === originCurrency)
    .toSorted((one, other) => Number(distance(one) > distance(other)) - Number(distance(one) < distance(other)))
  return nearest
}

/**
 * `deposits` name the order and have no refund yet, oldest first. Undefined when the payment fits nothing of the order.
 * A deposit on the wrong chain may be refunded to the same recipient as the fill; then the minimum of the quote tells
 * the two apart.
 */
export const purposeOfPayment = (
  transfer: Transfer,
  deposits: ReadonlyArray<Deposit>,
  paid: PaidOut,
  filled: Filled
): PaidPurpose | undefined => {
  const { minimumOut } = transfer.terms
  const [returned] = deposits
    .filter((deposit) => deposit.chainId === paid.chainId && deposit.currency === paid.currency)
    .filter((deposit) => planRefund(transfer, deposit).recipient === paid.recipient)
    .flatMap((deposit) => returnsOf(transfer, deposit, filled))
    .filter(({ amount }) => amount >= paid.amount)
    .toSorted(likeliestFirst(filled))
  const refund = returned?.leg
  const delivery = deliveredAs(transfer, paid)
  if (delivery === undefined) return refund
  const claimant = claimantOf(transfer, deposits, paid.amount)
  // The vault never pays refunds.
  if (refund !== undefined && paid.through === undefined && (claimant === undefined || paid.amount < minimumOut)) {
    return refund
  }
  return { _tag: delivery, deposit: claimant?.onchainId ?? NO_DEPOSIT }
}
