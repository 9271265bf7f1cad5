/**
 * A plain payment as an EVM transaction (spec/3 §11, spec/4 §6 "Payment"): native value to the recipient with the order
 * id as its data, or an ERC-20 transfer with the order id appended. Needs no contract, leaves no allowance.
 */
import { encodeFunctionData, concat, erc20Abi } from "viem"
import type { Hex } from "viem"
import type { Payment } from "../../ports/Treasury.ts"
import { viemHex } from "./ViemHex.ts"

export interface TransactionBody {
  readonly to: Hex
  readonly value: bigint
  readonly data: Hex
}

export const paymentBody = ({ amount, currency, orderId, recipient }: Payment): TransactionBody =>
  currency.isNative
    ? { to: viemHex(recipient), value: amount, data: viemHex(orderId) }
    : {
      to: viemHex(currency.address),
      value: 0n,
      data: concat([
        encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [viemHex(recipient), amount] }),
        viemHex(orderId)
      ])
    }
