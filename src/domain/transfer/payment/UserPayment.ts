/** A transaction in which a user carries out a transfer: what it called and paid, under which order id (STEP-4). */
import type { Address, CurrencyAddress } from "../../chain/Address.ts"
import type { Chain } from "../../chain/Chain.ts"
import type { Hex, Hex32 } from "../../encoding/Hex.ts"
import type { TransactionId } from "../../chain/TransactionId.ts"
import type { EvmTransaction } from "../../families/ethereum/evidence/EvmTransaction.ts"
import { orderIdsOf } from "../../families/ethereum/evidence/Payments.ts"
import { plainPaymentId } from "../../families/ethereum/evidence/PlainPayment.ts"
import { isNamedWrap } from "../../swap/Wrap.ts"
import type { OrderId } from "../../order/Order.ts"
import type { KeptSwapCall } from "../../swap/UserCall.ts"
import type { BlockRef } from "../../evidence/BlockRef.ts"
import type { Transfer } from "../Transfer.ts"

/** A call of a contract, or an instruction with the accounts that it named. */
export type MadeCall =
  | { readonly to: Address | undefined; readonly data: Hex; readonly value: bigint }
  | { readonly program: Address; readonly accounts: ReadonlyArray<Address>; readonly data: Hex }

/** A payment that a user has made itself, as its transaction shows it. Amounts are in smallest units. */
export interface UserPayment {
  readonly orderId: OrderId
  readonly transactionId: TransactionId
  readonly block: BlockRef
  readonly from: Address
  /** What the transaction itself called: on EVM one call, on Solana one per instruction. */
  readonly calls: ReadonlyArray<MadeCall>
  /** False when the transaction reverted and so paid nothing. */
  readonly succeeded: boolean
  /** Smallest units of each currency, as the chain shows them for a transaction that succeeded. */
  readonly payments: ReadonlyArray<
    { readonly recipient: Address; readonly currency: CurrencyAddress; readonly amount: bigint }
  >
}

/**
 * The order that a transaction of a user names: a plain payment, or a call of a swap source's router or the wrapped
 * token with an id at its end.
 */
export const orderNamedBy = (chain: Chain, transaction: Pick<EvmTransaction, "input" | "to">): Hex32 | undefined => {
  const { input, to } = transaction
  const isSwap = to !== undefined && chain.swaps?.sources.some(({ router }) => router === to) === true
  return isSwap || isNamedWrap(chain, to, input) ? orderIdsOf(transaction)[0] : plainPaymentId(input)
}

const sends = ({ payments }: UserPayment, { terms: { amountIn, originCurrency, recipient } }: Transfer): boolean => {
  const own = payments.filter((payment) => payment.recipient === recipient && payment.currency === originCurrency)
  return own.reduce((sum, { amount }) => sum + amount, 0n) >= amountIn
}

/**
 * True for exactly the call that the user was asked to make. It contains the recipient and the minimum output, and the
 * router enforces both.
 */
const isAskedSwap = ({ calls }: UserPayment, { orderId, terms: { userSwap } }: Transfer): boolean =>
  userSwap !== undefined && calls.some((call) => isAskedCall(call, userSwap, orderId))

/**
 * A router call has the order id behind its arguments. An instruction must be that of the step, with a memo beside it
 * that names the order.
 */
const isAskedCall = (call: MadeCall, asked: KeptSwapCall, orderId: OrderId): boolean => {
  if ("program" in asked) {
    return "program" in call && call.program === asked.program && call.data === asked.data &&
      isSameList(call.accounts, asked.accounts)
  }
  return "to" in call && call.to === asked.to && call.value === asked.value &&
    call.data === `${asked.data}${orderId.slice(2)}`
}

const isSameList = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((each, index) => each === other[index])

/** True when the transaction does what the transfer's user was asked for, or pays more. Its sender does not matter. */
export const carriesOut = (payment: UserPayment, transfer: Transfer): boolean => {
  if (payment.orderId !== transfer.orderId || !payment.succeeded) return false
  return transfer.terms.userSwap === undefined
    ? transfer.terms.send === true && sends(payment, transfer)
    : isAskedSwap(payment, transfer)
}

/**
 * True when the user tried the swap and it reverted, so nothing moved. A stranger's failure does not count as the
 * user's.
 */
export const failsToCarryOut = (payment: UserPayment, transfer: Transfer): boolean =>
  payment.orderId === transfer.orderId && !payment.succeeded && payment.from === transfer.terms.user &&
  isAskedSwap(payment, transfer)
