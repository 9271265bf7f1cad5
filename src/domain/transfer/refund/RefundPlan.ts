/**
 * Where a deposit that cannot be filled is returned, and how much of it (REFUND-1).
 *
 * SECURITY: only a deposit of the request's own user, sent or signed for by that user (`ProvenDepositor`), may decide
 * the request's state. A stranger's deposit is refunded separately and changes nothing for the user, so an attacker
 * cannot spoil another user's order with dust.
 */
import type { Address } from "../../chain/Address.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import type { RefundedTransfer } from "./RefundedTransfer.ts"
import { provenDepositor } from "../deposit/ProvenDepositor.ts"

/** Where a refund goes, and whether it decides the request's state. */
export interface RefundPlan {
  /**
   * Undefined at a deposit address whose request named no recipient for money that the address was not made for. That
   * money is held.
   */
  readonly recipient: Address | undefined
  /** True when this deposit's outcome decides the request's state. */
  readonly decides: boolean
}

/**
 * The sender does not matter at a deposit address: what the address was made for belongs to the request, and anything
 * else that arrived there to the address's owner.
 */
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
  const decides = provenDepositor(transfer, deposit) === transfer.terms.user
  // refundTo is an address of the quoted origin. On any other chain only the depositor is known to be a valid address.
  const onOrigin = deposit.chainId === transfer.terms.originChainId
  return { recipient: decides && onOrigin ? transfer.terms.refundTo : deposit.depositor, decides }
}

/** What is left of a deposit after its refund's gas, or zero. Smallest units of the deposit's currency. */
export const refundAmount = (deposited: bigint, gas: bigint): bigint => (deposited > gas ? deposited - gas : 0n)
