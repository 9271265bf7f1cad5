/**
 * Which leg of an order a payment is that was found on a chain: its fill, or the refund of one of its deposits.
 *
 * A payment names the order and nothing else. Where several deposits could have been refunded by it, it is the smallest
 * that covers it: a refund is what was deposited less its gas.
 */
import type { Address, CurrencyAddress } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"
import { Hex32 } from "../chain/Hex.ts"
import type { Deposit } from "./Deposit.ts"
import { planRefund } from "./RefundPlan.ts"
import type { Transfer } from "./Transfer.ts"

/** What was paid, smallest units. */
export interface PaidOut {
  readonly chainId: ChainId
  readonly recipient: Address
  readonly currency: CurrencyAddress
  readonly amount: bigint
}

export type PaidLeg =
  | { readonly _tag: "Fill"; readonly deposit: Hex32 }
  | { readonly _tag: "Refund"; readonly deposit: Hex32 }
  /** Named by itself: it answers no deposit. */
  | { readonly _tag: "Payout"; readonly deposit: Hex32 }

/** No deposit has this id: the fill is for whichever deposit turns out to have claimed it. */
const NO_DEPOSIT = Hex32.make(`0x${"0".repeat(64)}`)

const isFill = ({ terms }: Transfer, { chainId, currency, recipient }: PaidOut): boolean =>
  chainId === terms.destinationChainId && currency === terms.destinationCurrency && recipient === terms.recipient

const smallestFirst = (one: Deposit, other: Deposit): number => (one.amount < other.amount ? -1 : 1)

/**
 * `deposits` name the order and have no refund yet, oldest first. Undefined when the payment fits nothing of the order.
 * A deposit on the wrong chain may be refunded to whom the fill pays: then the minimum of the quote tells them apart.
 */
export const legOfPayment = (transfer: Transfer, deposits: ReadonlyArray<Deposit>, paid: PaidOut): PaidLeg | undefined => {
  const { minimumOut, originChainId, originCurrency } = transfer.terms
  const [refunded] = deposits
    .filter((deposit) => deposit.chainId === paid.chainId && deposit.currency === paid.currency && deposit.amount >= paid.amount)
    .filter((deposit) => planRefund(transfer, deposit).recipient === paid.recipient)
    .toSorted(smallestFirst)
  const refund: PaidLeg | undefined = refunded === undefined ? undefined : { _tag: "Refund", deposit: refunded.onchainId }
  if (!isFill(transfer, paid)) return refund
  const claimant = deposits.find(({ chainId, currency }) => chainId === originChainId && currency === originCurrency)
  if (refund !== undefined && (claimant === undefined || paid.amount < minimumOut)) return refund
  return { _tag: "Fill", deposit: claimant?.onchainId ?? NO_DEPOSIT }
}
