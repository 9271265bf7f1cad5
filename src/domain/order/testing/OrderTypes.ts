/**
 * The order as viem's typed data, for reference tests: the types, and the message with addresses as their family's
 * bytes. Built from the spec's text, not from our encoder.
 */
import { protocolFamily } from "../../chain/ProtocolFamily.ts"
import * as Result from "effect/Result"
import { hexFromBytes } from "../../encoding/Hex.ts"
import type { Order } from "../Order.ts"
import { familyOf } from "./Orders.ts"

const member = (text: string) => {
  const [type = "", name = ""] = text.split(" ")
  return { type, name }
}
const members = (text: string) => text.split(",").map(member)

export const orderTypes = {
  Order: members(
    "string version,string solverChainId,address solver,uint256 salt,Input[] inputs,Output output,Fee[] fees"
  ),
  Fee: members("string recipientChainId,bytes recipient,string currencyChainId,bytes currency,uint256 amount"),
  Input: members("InputPayment payment,InputRefund[] refunds"),
  InputPayment: members("string chainId,bytes currency,uint256 amount,uint256 weight"),
  InputRefund: members(
    "string chainId,bytes recipient,bytes currency,uint256 minimumAmount,uint32 deadline,bytes extraData"
  ),
  Output: members("string chainId,OutputPayment[] payments,uint32 deadline,bytes[] calls,bytes extraData"),
  OutputPayment: members("bytes recipient,bytes currency,uint256 minimumAmount,uint256 expectedAmount")
}

const codec = (slug: string) => (familyOf(slug) ?? protocolFamily).addresses("mainnet")
const account = (slug: string, text: string) => hexFromBytes(Result.getOrThrow(codec(slug).toBytes(text)))
const currency = (slug: string, text: string) => hexFromBytes(Result.getOrThrow(codec(slug).currencyToBytes(text)))

export const orderMessage = (order: Order) => ({
  ...order,
  salt: BigInt(order.salt),
  inputs: order.inputs.map(({ payment, refunds }) => ({
    payment: { ...payment, currency: currency(payment.chainId, payment.currency) },
    refunds: refunds.map((refund) => ({
      ...refund,
      recipient: refund.recipient === codec(refund.chainId).nativeCurrency
        ? currency(refund.chainId, refund.recipient)
        : account(refund.chainId, refund.recipient),
      currency: currency(refund.chainId, refund.currency)
    }))
  })),
  output: {
    ...order.output,
    payments: order.output.payments.map((payment) => ({
      ...payment,
      recipient: account(order.output.chainId, payment.recipient),
      currency: currency(order.output.chainId, payment.currency)
    }))
  },
  fees: order.fees.map((fee) => ({
    ...fee,
    recipient: account(fee.recipientChainId, fee.recipient),
    currency: currency(fee.currencyChainId, fee.currency)
  }))
})
