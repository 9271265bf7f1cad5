/**
 * Checks the steps of a swap before the deposit on an EVM chain: an approval of exactly the amount, and one call of the
 * SwapDepositor that names this order, a router that the client knows, and the order's amount as the least deposit.
 * Unchecked is the router's calldata.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { abiAddress, abiBytes, abiBytes32, abiTuple, abiUint, decodeAbi } from "../../../encoding/Abi.ts"
import { HexFromString } from "../../../encoding/Hex.ts"
import { check, checkEqual, unchecked } from "../../../quote/verify/Check.ts"
import type { Check } from "../../../quote/verify/Check.ts"
import { verifyAmountIn } from "../../../quote/verify/StepVerifier.ts"
import type { SwapDepositExpectation, SwapDepositVerifier } from "../../../quote/verify/StepVerifier.ts"
import type { Step } from "../../../quote/wire/Step.ts"
import type { TransactionData } from "../../TransactionData.ts"
import { allowedApproval, isRouter, verifyEnvelope, verifyItems } from "./VerifyEvmSteps.ts"

/** `swapAndDeposit` of the SwapDepositor. */
const SWAP_AND_DEPOSIT = "246dd820"

const shape = abiTuple({
  swap: abiTuple({
    input: abiAddress,
    amount: abiUint(256),
    output: abiAddress,
    minimum: abiUint(256),
    orderId: abiBytes32,
    router: abiAddress,
    data: abiBytes
  })
})

const decodeHex = Schema.decodeUnknownResult(HexFromString)

/** The arguments of the SwapDepositor's call. Undefined for another call, or another encoding. */
const callOf = (data: string) => {
  const body = decodeHex(`0x${data.slice(10)}`.toLowerCase())
  if (!data.toLowerCase().startsWith(`0x${SWAP_AND_DEPOSIT}`) || Result.isFailure(body)) return undefined
  const decoded = decodeAbi(shape, body.success)
  return Result.isSuccess(decoded) ? decoded.success.swap : undefined
}

const verifyCall = (name: string, data: TransactionData, expected: SwapDepositExpectation): ReadonlyArray<Check> => {
  const { deposit, depositor, orderId, request: { origin, originCurrency } } = expected
  const call = "maxFeePerGas" in data ? callOf(data.data) : undefined
  if (call === undefined) return [check(name, false, "no call of the SwapDepositor")]
  return [
    ...verifyEnvelope(name, data, depositor, originCurrency.isNative ? call.amount : 0n, expected.request),
    checkEqual(`${name} input`, call.input, originCurrency.address),
    ...verifyAmountIn(name, call.amount, expected),
    checkEqual(`${name} output`, call.output, deposit.currency),
    checkEqual(`${name} minimum`, call.minimum, deposit.amount),
    checkEqual(`${name} names the order`, call.orderId, orderId),
    check(`${name} router`, isRouter(origin, call.router), call.router),
    unchecked(`${name} swap`, "the call of a swap source's router is not verified by this version: simulate it")
  ]
}

const verifyStep = (step: Step, amount: bigint, expected: SwapDepositExpectation): ReadonlyArray<Check> => {
  if (step.kind === "transaction" && step.id === "deposit") {
    return [
      check("deposit items", step.items.length === 1, `${step.items.length}`),
      ...step.items.flatMap(({ data }, index) => verifyCall(`deposit ${index}`, data, expected))
    ]
  }
  return step.kind === "transaction" && step.id === "approve" && !expected.request.originCurrency.isNative
    ? [
      check("approve items", step.items.length <= 2, `${step.items.length}`),
      ...verifyItems(step, allowedApproval({ amount, request: expected.request }, expected.depositor), expected.request)
    ]
    : [unchecked(`step ${step.id}`, "a swap before the deposit needs no other step than an approval and itself")]
}

/** The amount that the deposit step takes; zero when it cannot be read. */
const amountOf = (steps: ReadonlyArray<Step>): bigint =>
  steps.flatMap((step) =>
    step.kind === "transaction" && step.id === "deposit"
      ? step.items.flatMap(({ data }) => "maxFeePerGas" in data ? callOf(data.data)?.amount ?? [] : [])
      : []
  )[0] ?? 0n

export const evmSwapDeposits: SwapDepositVerifier = {
  amountOf,
  steps: (steps, expected) => steps.flatMap((step) => verifyStep(step, amountOf(steps), expected))
}
