/** A permit as a payment: a call of the Forwarder that spends nothing of the operator's account but gas. */
import { protocolAccounts } from "../../domain/chain/ProtocolAccounts.ts"
import * as Result from "effect/Result"
import type { PermitPayment } from "../../../ports/chain/PaymentKinds.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Hex, Hex32 } from "../../domain/encoding/Hex.ts"
import { OrderId } from "../../domain/order/Order.ts"
import type { PermitTerms } from "../../domain/permit/Permit.ts"
import type { Permitted } from "../../domain/permit/PermitSpender.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"

/** A transfer whose deposit is made by a signature. */
export interface PermitTransfer {
  readonly terms: PermitTerms
  readonly permitted: Permitted
}

/** What the transfer's user signs. Undefined when it signs nothing. */
export const permitOf = ({ orderId, terms }: Transfer): PermitTransfer | undefined => {
  const token = protocolAccounts.parse(terms.originCurrency)
  if (terms.permit === undefined || Result.isFailure(token)) return undefined
  const { amountIn: amount, permit, user: owner } = terms
  return { terms: permit, permitted: { owner, token: token.success, amount, orderId, deadline: permit.deadline } }
}

/** `id` takes the place of an order's id in other payments. */
export const permitPayment = (
  chain: Chain,
  id: Hex32,
  { permitted, terms }: PermitTransfer,
  signature: Hex
): PermitPayment => ({
  _tag: "Permit",
  chain,
  currency: chain.native,
  recipient: terms.forwarder,
  amount: 0n,
  orderId: OrderId.make(id),
  permit: {
    ...permitted,
    kind: terms.kind,
    forwarder: terms.forwarder,
    signature,
    gasOverhead: terms.gasOverhead ?? 0n
  }
})
