/**
 * Where a deposit that cannot be filled goes back to, and how much of it (REFUND-1).
 *
 * SECURITY: only a deposit of the request's own user may decide that request's state: one that the user sent or signed
 * for (`WhoDeposited`). Anybody else's is a refund leg of its own and changes nothing for the user: nobody spoils
 * another's order with dust.
 */
import type { Address } from "../../chain/Address.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import type { RefundedTransfer } from "./RefundedTransfer.ts"
import { whoDeposited } from "../deposit/WhoDeposited.ts"

export interface RefundPlan {
  /** Undefined at a deposit address whose request named nobody for what it was not made for: then it waits. */
  readonly recipient: Address | undefined
  /** True when this deposit's fate is the request's. */
  readonly decides: boolean
}

/** Whoever paid to an address: what it was made for is the request's, and anything else that came there its owner's. */
const planAtAddress = (
  { terms }: Pick<RefundedTransfer, "terms">,
  { chainId, currency }: Deposit,
  refundTo: Address | undefined
): RefundPlan => {
  const isQuoted = chainId === terms.originChainId && currency === terms.originCurrency
  return { recipient: isQuoted ? terms.refundTo : refundTo, decides: isQuoted }
}

/** Where a deposit of a transfer is refunded to. */
export const planRefund = (transfer: Pick<RefundedTransfer, "terms">, deposit: Deposit): RefundPlan => {
  const { depositAddress } = transfer.terms
  if (depositAddress !== undefined) return planAtAddress(transfer, deposit, depositAddress.refundTo)
  const decides = whoDeposited(transfer, deposit) === transfer.terms.user
  // refundTo is an address of the quoted origin; on any other chain only the depositor is known to be one.
  const onOrigin = deposit.chainId === transfer.terms.originChainId
  return { recipient: decides && onOrigin ? transfer.terms.refundTo : deposit.depositor, decides }
}

/**
 * What is left of a deposit once its refund's gas is paid, zero when that is nothing. Smallest units of the deposit's
 * currency.
 */
export const refundAmount = (deposited: bigint, gas: bigint): bigint => (deposited > gas ? deposited - gas : 0n)
