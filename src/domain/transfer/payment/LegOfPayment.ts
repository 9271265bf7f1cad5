/**
 * Which leg of an order a payment is that was found on a chain: its fill, or what went back of one of its deposits: all
 * of it, or of the one that was filled at a strict address what was above the quoted amount.
 *
 * A payment names the order and nothing else. Where several things could have gone back by it, it is the smallest that
 * covers it: what goes back is less by its gas.
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
  /** Whether the vault paid, and ran calls; absent where the account paid itself. */
  readonly through?: "vault" | "calls"
  readonly chainId: ChainId
  readonly recipient: Address
  readonly currency: CurrencyAddress
  readonly amount: bigint
}

export type PaidLeg =
  | { readonly _tag: "Fill"; readonly deposit: Hex32 }
  /** What a swap of the fill would have taken, in place of the fill. */
  | { readonly _tag: "Fallback"; readonly deposit: Hex32 }
  | { readonly _tag: "Refund"; readonly deposit: Hex32 }
  | { readonly _tag: "Excess"; readonly deposit: Hex32 }
  /** Named by itself: it answers no deposit. */
  | { readonly _tag: "Payout"; readonly deposit: Hex32 }

/** No deposit has this id: the fill is for whichever deposit turns out to have claimed it. */
const NO_DEPOSIT = Hex32.make(`0x${"0".repeat(64)}`)

/** To whom and in what an order is delivered; one whose fill swaps is filled by its calls alone. */
const deliveredAs = (
  { terms }: Transfer,
  { chainId, currency, recipient, through }: PaidOut
): "Fill" | "Fallback" | undefined => {
  if (chainId !== terms.destinationChainId || currency !== terms.destinationCurrency || recipient !== terms.recipient) {
    return undefined
  }
  if (terms.destinationSwap === undefined || through === "calls") return "Fill"
  return through === "vault" && fallsBack(terms) ? "Fallback" : undefined
}

/** What may have gone back, less its gas. */
interface Returned {
  readonly leg: PaidLeg
  readonly amount: bigint
}

const smallestFirst = (one: Returned, other: Returned): number => (one.amount < other.amount ? -1 : 1)

/** Which deposit was filled: "unknown" while fills are looked for; undefined when there is none. */
export type Filled = Hex32 | "unknown" | undefined

/** All of a deposit; and if it was filled, or may have been, what it had above the quoted amount. */
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
 * `deposits` name the order and have no refund yet, oldest first. Undefined when the payment fits nothing of the order.
 * A deposit on the wrong chain may be refunded to whom the fill pays: then the minimum of the quote tells them apart.
 */
export const legOfPayment = (
  transfer: Transfer,
  deposits: ReadonlyArray<Deposit>,
  paid: PaidOut,
  filled: Filled
): PaidLeg | undefined => {
  const { minimumOut, originChainId, originCurrency } = transfer.terms
  const [returned] = deposits
    .filter((deposit) => deposit.chainId === paid.chainId && deposit.currency === paid.currency)
    .filter((deposit) => planRefund(transfer, deposit).recipient === paid.recipient)
    .flatMap((deposit) => returnsOf(transfer, deposit, filled))
    .filter(({ amount }) => amount >= paid.amount)
    .toSorted(smallestFirst)
  const refund = returned?.leg
  const delivery = deliveredAs(transfer, paid)
  if (delivery === undefined) return refund
  const claimant = deposits.find(({ chainId, currency }) => chainId === originChainId && currency === originCurrency)
  // What the vault pays is no refund.
  if (refund !== undefined && paid.through === undefined && (claimant === undefined || paid.amount < minimumOut)) {
    return refund
  }
  return { _tag: delivery, deposit: claimant?.onchainId ?? NO_DEPOSIT }
}
