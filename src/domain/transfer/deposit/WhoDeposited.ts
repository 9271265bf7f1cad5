/**
 * Whose deposit it is: the account that sent its transaction, or the one that signed for it.
 *
 * SECURITY: the depositor of an event is the caller's choice and proves nothing, but for one way. What comes through
 * the Forwarder that the quote named, in the quoted currency of the quoted chain, was signed for by the event's
 * depositor, for this order: the token or Permit2 has checked it. In any other currency the contract that was asked may
 * be anybody's and have checked nothing.
 */
import type { Address } from "../../chain/Address.ts"
import type { Deposit } from "./Deposit.ts"
import type { RefundedTransfer } from "../refund/RefundedTransfer.ts"

export const whoDeposited = (
  { terms }: Pick<RefundedTransfer, "terms">,
  { chainId, currency, depositor, forwarder, sender }: Deposit
): Address => {
  const isSignedFor = terms.permit !== undefined && forwarder === terms.permit.forwarder &&
    chainId === terms.originChainId && currency === terms.originCurrency
  return isSignedFor ? depositor : sender
}
