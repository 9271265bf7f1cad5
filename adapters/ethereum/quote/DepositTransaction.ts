/** The user's own transactions as EVM calls (STEP-2): approve, deposit, plain transfer, send. Pure. */
import { Result } from "effect"
import { concat, encodeFunctionData, erc20Abi, prepareEncodeFunctionData } from "viem"
import type { Hex } from "viem"
import type { DepositIntent, DepositWay } from "../../../ports/chain/StepBuilder.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { computeDepositAddress } from "../../../src/domain/deposit-address/DepositAddress.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { abi as depositoryAbi } from "../contracts/artifacts/Depository.ts"
import { abi as swapDepositorAbi } from "../contracts/artifacts/SwapDepositor.ts"
import { viemHex } from "../rpc/ViemHex.ts"

export interface UserCall {
  readonly to: Hex
  readonly data: Hex
  readonly value: bigint
}

// Prepared, so that the selector is hashed once and not for every quote.
const approve = prepareEncodeFunctionData({ abi: erc20Abi, functionName: "approve" })
const transfer = prepareEncodeFunctionData({ abi: erc20Abi, functionName: "transfer" })
const depositNative = prepareEncodeFunctionData({ abi: depositoryAbi, functionName: "depositNative" })
const swapAndDeposit = prepareEncodeFunctionData({ abi: swapDepositorAbi, functionName: "swapAndDeposit" })
const depositErc20 = prepareEncodeFunctionData({ abi: depositoryAbi, functionName: "depositErc20" })

/**
 * The spender that the user has to approve: the depository, Permit2, a swap source's router or the SwapDepositor.
 * Undefined when no approval is needed.
 */
export const spenderOf = ({ currency, origin, way }: DepositIntent): Address | undefined => {
  if (way._tag === "Permit") return way.terms.kind === "permit2" ? way.terms.verifier : undefined
  // A call to the token itself needs no approval.
  if (way._tag === "Swap") return String(way.call.to) === String(currency.address) ? undefined : way.call.to
  if (way._tag === "SwapDeposit") return way.depositor
  return way._tag === "Depository" ? origin.depository : undefined
}

/** Approves one of those spenders only, for the exact amount. */
export const approveCall = (intent: DepositIntent, amount: bigint): UserCall => ({
  to: viemHex(intent.currency.address),
  data: encodeFunctionData({ ...approve, args: [viemHex(spenderOf(intent) ?? intent.origin.depository), amount] }),
  value: 0n
})

/** The deposit address of the order with this id. The parts were resolved as EVM addresses. */
export const addressOf = (
  { address, depositor, factory }: Extract<DepositWay, { readonly _tag: "Address" }>,
  id: Hex
): Address => {
  if (address !== undefined) return address
  if (factory === undefined) throw new Error("a deposit address of an EVM chain follows from a factory")
  return Result.getOrThrow(computeDepositAddress({ factory, depositor, orderId: OrderId.make(id) }))
}

const plainTransfer = ({ amount, currency }: DepositIntent, to: string, id: Hex): UserCall =>
  currency.isNative
    ? { to: viemHex(to), data: id, value: amount }
    : {
      to: viemHex(currency.address),
      data: concat([encodeFunctionData({ ...transfer, args: [viemHex(to), amount] }), id]),
      value: 0n
    }

const depositoryCall = ({ amount, currency, origin, user }: DepositIntent, id: Hex): UserCall =>
  currency.isNative
    ? {
      to: viemHex(origin.depository),
      data: encodeFunctionData({ ...depositNative, args: [viemHex(user), id] }),
      value: amount
    }
    : {
      to: viemHex(origin.depository),
      data: encodeFunctionData({
        ...depositErc20,
        args: [viemHex(user), viemHex(currency.address), amount, id]
      }),
      value: 0n
    }

/** The order id is in the middle: at the end of the calldata it would name a payment (EVM-5). */
const swapDepositCall = (
  { amount, currency }: DepositIntent,
  { call, depositor, minimum, output }: Extract<DepositWay, { readonly _tag: "SwapDeposit" }>,
  id: Hex
): UserCall => ({
  to: viemHex(depositor),
  data: encodeFunctionData({
    ...swapAndDeposit,
    args: [{
      input: viemHex(currency.address),
      amount,
      output: viemHex(output.address),
      minimum,
      orderId: id,
      router: viemHex(call.to),
      data: viemHex(call.data)
    }]
  }),
  value: currency.isNative ? amount : 0n
})

/**
 * The user's transaction that moves the money and names the order by `id`. Undefined where the user signs a message
 * instead.
 */
export const depositCall = (intent: DepositIntent, id: Hex): UserCall | undefined => {
  switch (intent.way._tag) {
    case "Permit":
      return undefined
    case "Depository":
      return depositoryCall(intent, id)
    case "Address":
      return plainTransfer(intent, addressOf(intent.way, id), "0x")
    case "Transfer":
      return plainTransfer(intent, intent.origin.depository, id)
    case "Send":
      return plainTransfer(intent, intent.way.recipient, id)
    case "SwapDeposit":
      return swapDepositCall(intent, intent.way, id)
    case "RouteDeposit":
    case "Route":
      throw new Error("an EVM chain has no instructions: they were to be refused before")
    case "Swap":
      return {
        to: viemHex(intent.way.call.to),
        data: concat([viemHex(intent.way.call.data), id]),
        value: intent.way.call.value
      }
  }
}
