/** A permit as a payment: a call of the Forwarder that moves nothing of the account's own but gas. */
import * as Result from "effect/Result"
import type { PermitPayment } from "../../../ports/chain/PaymentKinds.ts"
import { addressCodec } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Hex, Hex32 } from "../../domain/encoding/Hex.ts"
import { OrderId } from "../../domain/order/Order.ts"
import type { PermitTerms } from "../../domain/permit/Permit.ts"
import type { Permitted } from "../../domain/permit/PermitSpender.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"

/** A transfer that is deposited by a signature. */
export interface PermitTransfer {
  readonly terms: PermitTerms
  readonly permitted: Permitted
}

/** What the user of the transfer signs for; undefined where it signs nothing. */
export const permitOf = ({ orderId, terms }: Transfer): PermitTransfer | undefined => {
  const token = addressCodec("ethereum-vm").parse(terms.originCurrency)
  if (terms.permit === undefined || Result.isFailure(token)) return undefined
  const { amountIn: amount, permit, user: owner } = terms
  return { terms: permit, permitted: { owner, token: token.success, amount, orderId, deadline: permit.deadline } }
}

/** `id` stands where other payments name an order. */
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
