/**
 * The account that a deposit belongs to: the sender of its transaction, or the account that signed for it.
 *
 * SECURITY: the depositor in an event is the caller's choice and proves nothing, with one exception. A deposit through
 * the Forwarder that the quote named, in the quoted currency of the quoted chain, was signed by the event's depositor
 * for this order: the token or Permit2 has checked it. In any other currency, the contract that was asked may be an
 * attacker's and may have checked nothing.
 */
import type { Address } from "../../chain/Address.ts"
import type { Deposit } from "./Deposit.ts"
import type { RefundedTransfer } from "../refund/RefundedTransfer.ts"

export const provenDepositor = (
  { terms }: Pick<RefundedTransfer, "terms">,
  { chainId, currency, depositor, forwarder, sender }: Deposit
): Address => {
  const isSignedFor = terms.permit !== undefined && forwarder === terms.permit.forwarder &&
    chainId === terms.originChainId && currency === terms.originCurrency
  return isSignedFor ? depositor : sender
}
