/**
 * Checks the steps of an EVM origin against its order: what the wallet is asked to sign may only deposit for that
 * order, or pay its recipient within one chain.
 *
 * SECURITY: an allowlist. A step or kind that is not on it is `unchecked`, so the quote is not `ok`. A deposit address
 * is recomputed from the factory that the client knows.
 */
import { protocolAccounts } from "../../../chain/ProtocolAccounts.ts"
import * as Result from "effect/Result"
import { abiAddress, abiBytes32, abiTuple, abiUint, encodeAbi } from "../../../encoding/Abi.ts"
import type { InvalidAbi } from "../../../encoding/Abi.ts"
import type { Address, InvalidAddress } from "../../../chain/Address.ts"
import type { Hex } from "../../../encoding/Hex.ts"
import { computeDepositAddress } from "../../../deposit-address/DepositAddress.ts"
import type { AskedAddress } from "../../../quote/request/ResolvedRequest.ts"
import type { ResolvedRequest } from "../../../quote/request/ResolveRequest.ts"
import type { Chain } from "../../../chain/Chain.ts"
import { isSend } from "../../../quote/Send.ts"
import { isUserSwap } from "../../../quote/UserSwap.ts"
import type { SignatureStep, Step, TransactionStep } from "../../../quote/wire/Step.ts"
import type { TransactionData } from "../../TransactionData.ts"
import { check, checkEqual, unchecked } from "../../../quote/verify/Check.ts"
import type { Check } from "../../../quote/verify/Check.ts"
import { verifyPermit } from "../../../quote/verify/VerifyPermit.ts"
import type { DepositExpectation, StepVerifier } from "../../../quote/verify/StepVerifier.ts"

const native = abiTuple({ depositor: abiAddress, id: abiBytes32 })
const erc20 = abiTuple({ depositor: abiAddress, token: abiAddress, amount: abiUint(256), id: abiBytes32 })
const transferWithId = abiTuple({ to: abiAddress, amount: abiUint(256), id: abiBytes32 })
const spending = abiTuple({ spender: abiAddress, amount: abiUint(256) })

const selectors = { depositNative: "49290c1c", depositErc20: "e8017952", transfer: "a9059cbb", approve: "095ea7b3" }

const call = (selector: keyof typeof selectors, body: Result.Result<Hex, InvalidAbi | InvalidAddress>): string =>
  Result.match(body, { onFailure: () => "none", onSuccess: (hex) => `0x${selectors[selector]}${hex.slice(2)}` })

interface Allowed {
  readonly to: string
  readonly data: ReadonlyArray<string>
  readonly value: bigint
}

const tokenOf = ({ originCurrency }: ResolvedRequest): Result.Result<Address, InvalidAddress> =>
  protocolAccounts.parse(originCurrency.address)

const targetOf = (token: Result.Result<Address, InvalidAddress>): string => Result.getOrElse(token, () => "none")

/** A plain transfer and nothing else. A payer elsewhere cannot add anything to it, either. */
const allowedTransfer = ({ amount, request }: DepositExpectation, address: Address): Allowed =>
  request.originCurrency.isNative
    ? { to: address, data: ["0x"], value: amount }
    : {
      to: targetOf(tokenOf(request)),
      data: [call("transfer", encodeAbi(spending, { spender: address, amount }))],
      value: 0n
    }

const allowedDeposit = ({ amount, explicitDeposit, orderId: id, request }: DepositExpectation): Allowed => {
  const { origin: { depository }, originCurrency, user: depositor } = request
  if (originCurrency.isNative) {
    return { to: depository, data: [call("depositNative", encodeAbi(native, { depositor, id }))], value: amount }
  }
  const token = tokenOf(request)
  return explicitDeposit
    ? {
      to: depository,
      data: [
        call("depositErc20", Result.flatMap(token, (token) => encodeAbi(erc20, { depositor, token, amount, id })))
      ],
      value: 0n
    }
    : {
      to: targetOf(token),
      data: [call("transfer", encodeAbi(transferWithId, { to: depository, amount, id }))],
      value: 0n
    }
}

/** A direct payment to the recipient, with only the order's id appended. */
const allowedSend = ({ amount, orderId: id, request }: DepositExpectation): Allowed => {
  const { originCurrency, recipient } = request
  if (originCurrency.isNative) return { to: recipient, data: [id], value: amount }
  return {
    to: targetOf(tokenOf(request)),
    data: [call("transfer", encodeAbi(transferWithId, { to: recipient, amount, id }))],
    value: 0n
  }
}

/** The step that moves the money. */
const payingStep = ({ request }: DepositExpectation): "deposit" | "send" | "authorize1" => {
  if (isSend(request)) return "send"
  return request.permit === undefined ? "deposit" : "authorize1"
}

/**
 * Exactly the amount, or the reset to zero that some tokens require first, and only for the account that takes the
 * deposit.
 */
export const allowedApproval = (
  { amount, request }: Pick<DepositExpectation, "amount" | "request">,
  spender: Address
): Allowed => {
  const approval = (units: bigint) => call("approve", encodeAbi(spending, { spender, amount: units }))
  return { to: targetOf(tokenOf(request)), data: [approval(amount), approval(0n)], value: 0n }
}

/** Checks the transaction's sender, target, value, chain and gas, but not its calldata. */
export const verifyEnvelope = (
  name: string,
  data: TransactionData,
  target: string,
  value: bigint,
  { origin, user }: ResolvedRequest
): ReadonlyArray<Check> => {
  if (!("maxFeePerGas" in data)) return [check(name, false, "no EVM transaction")]
  const lower = (text: string) => text.toLowerCase()
  return [
    checkEqual(`${name} sender`, lower(data.from), user),
    checkEqual(`${name} target`, lower(data.to), lower(target)),
    checkEqual(`${name} value`, data.value, value),
    checkEqual(`${name} chain`, data.chainId, origin.id),
    check(
      `${name} gas`,
      [data.gas, data.maxFeePerGas, data.maxPriorityFeePerGas].every(isUint) &&
        BigInt(data.maxPriorityFeePerGas) <= BigInt(data.maxFeePerGas),
      `${data.gas} at ${data.maxFeePerGas}`
    )
  ]
}

const verifyTransaction = (
  name: string,
  data: TransactionData,
  allowed: Allowed,
  request: ResolvedRequest
): ReadonlyArray<Check> => [
  ...verifyEnvelope(name, data, allowed.to, allowed.value, request),
  ...("maxFeePerGas" in data
    ? [check(`${name} calldata`, allowed.data.includes(data.data.toLowerCase()), data.data)]
    : [])
]

/** True for decimal digits, at most as many as a uint256 has. */
export const isUint = (text: string): boolean => /^[0-9]{1,78}$/.test(text)

/** One check for each thing that an item's transaction must satisfy. */
export const verifyItems = (step: TransactionStep, allowed: Allowed, request: ResolvedRequest): ReadonlyArray<Check> =>
  step.items.flatMap(({ data }, index) => verifyTransaction(`${step.id} ${index}`, data, allowed, request))

/** The spender that the user may have to approve before the paying step. Undefined when there is none. */
const spenderOf = (expected: DepositExpectation): Address | undefined => {
  const { explicitDeposit, request } = expected
  if (request.originCurrency.isNative) return undefined
  if (payingStep(expected) === "authorize1") return request.permit?.permit2
  return payingStep(expected) === "deposit" && explicitDeposit ? request.origin.depository : undefined
}

const verifySignature = (
  step: SignatureStep,
  { amount, orderId, request }: DepositExpectation
): ReadonlyArray<Check> => {
  const token = tokenOf(request)
  return Result.isFailure(token)
    ? [check("token", false, token.failure.message)]
    : verifyPermit(step, { request, orderId, amount, token: token.success })
}

/** The solver chooses the source and the call of its router. Only what limits the user's loss is checked. */
const verifySwap = (
  step: TransactionStep,
  { amount, orderId, request: { origin, originCurrency, user } }: DepositExpectation
): ReadonlyArray<Check> =>
  step.items.flatMap(({ data }, index) => {
    const name = `swap ${index}`
    if (!("maxFeePerGas" in data)) return [check(name, false, "no EVM transaction")]
    return [
      checkEqual(`${name} sender`, data.from.toLowerCase(), user),
      check(`${name} target`, isRouter(origin, data.to), data.to),
      check(`${name} names the order`, data.data.toLowerCase().endsWith(orderId.slice(2)), data.data.slice(-64)),
      checkEqual(`${name} value`, data.value, originCurrency.isNative ? amount : 0n),
      checkEqual(`${name} chain`, data.chainId, origin.id),
      unchecked(`${name} calldata`, "the call of a swap source's router is not verified by this version: simulate it")
    ]
  })

/** True for the router of one of the chain's swap sources, as the client's own list has it. */
export const isRouter = ({ swaps }: Chain, to: string): boolean =>
  swaps?.sources.some(({ router }) => router === to.toLowerCase()) === true

/** The approval of a swap must be for the router that the swap calls. */
const verifySwapSteps = (steps: ReadonlyArray<Step>, expected: DepositExpectation): ReadonlyArray<Check> => {
  const router = steps.flatMap((step) =>
    step.kind === "transaction" && step.id === "swap"
      ? step.items.map(({ data }) => "to" in data ? data.to.toLowerCase() : "")
      : []
  )
  const spender = expected.request.origin.swaps?.sources.map((source) => source.router).find((known) =>
    router.includes(known)
  )
  return [
    checkEqual("swap steps", router.length, 1),
    ...steps.flatMap((step) => {
      if (step.kind === "transaction" && step.id === "swap") return verifySwap(step, expected)
      return step.kind === "transaction" && step.id === "approve" && spender !== undefined &&
          !expected.request.originCurrency.isNative
        ? verifyItems(step, allowedApproval(expected, spender), expected.request)
        : [unchecked(`step ${step.id}`, "a swap needs no other step than an approval and itself")]
    })
  ]
}

const verifyStep = (step: Step, expected: DepositExpectation): ReadonlyArray<Check> => {
  const { request } = expected
  const pays = payingStep(expected)
  const spender = spenderOf(expected)
  if (step.kind === "transaction" && step.id === "approve" && spender !== undefined) {
    return [
      check("approve items", step.items.length <= 2, `${step.items.length}`),
      ...verifyItems(step, allowedApproval(expected, spender), request)
    ]
  }
  if (step.kind === "signature" && step.id === "authorize1" && pays === "authorize1") {
    return verifySignature(step, expected)
  }
  return step.kind === "transaction" && step.id === pays
    ? [
      check(`${pays} items`, step.items.length === 1, `${step.items.length}`),
      ...verifyItems(step, pays === "send" ? allowedSend(expected) : allowedDeposit(expected), request)
    ]
    : [unchecked(`step ${step.id}`, `a ${step.kind} step of this kind is not verified by this version`)]
}

const verifyAddressStep = (step: Step, expected: DepositExpectation, address: Address): ReadonlyArray<Check> =>
  step.kind === "transaction" && step.id === "deposit"
    ? [
      checkEqual("deposit address", step.depositAddress?.toLowerCase(), address),
      check("deposit items", step.items.length === 1, `${step.items.length}`),
      ...verifyItems(step, allowedTransfer(expected, address), expected.request)
    ]
    : [unchecked(`step ${step.id}`, "a deposit address needs no other step than the transfer to it")]

const verifyByAddress = (
  steps: ReadonlyArray<Step>,
  expected: DepositExpectation,
  asked: AskedAddress
): ReadonlyArray<Check> => {
  const { depositor, factory } = asked
  if (factory === undefined) {
    return [
      unchecked(
        "deposit address",
        "nobody but the service can derive this chain's: compare it with GET /deposit-addresses"
      )
    ]
  }
  const made = computeDepositAddress({ depositor, factory, orderId: expected.orderId })
  if (Result.isFailure(made)) return [check("deposit address", false, made.failure.message)]
  const address = made.success
  return [
    checkEqual("deposit steps", steps.length, 1),
    ...steps.flatMap((step) => verifyAddressStep(step, expected, address))
  ]
}

const verifySteps: StepVerifier["steps"] = (steps, expected) => {
  const asked = expected.request.depositAddress
  if (asked !== undefined) return verifyByAddress(steps, expected, asked)
  if (isUserSwap(expected.request)) return verifySwapSteps(steps, expected)
  return [
    checkEqual(`${payingStep(expected)} steps`, steps.filter(({ id }) => id === payingStep(expected)).length, 1),
    check("no deposit address", steps.every((step) => step.depositAddress === undefined), "not asked for"),
    ...steps.flatMap((step) => verifyStep(step, expected))
  ]
}

/** The gas of all transactions, at the highest fee. */
const costs: StepVerifier["costs"] = ({ steps }) => [
  steps.flatMap((step) => step.kind === "transaction" ? step.items.map(({ data }) => data) : []).reduce(
    (sum, data) =>
      "maxFeePerGas" in data && isUint(data.gas) && isUint(data.maxFeePerGas)
        ? sum + BigInt(data.gas) * BigInt(data.maxFeePerGas)
        : sum,
    0n
  )
]

/** The verifier of steps on EVM chains, for `verifyQuote`. */
export const evmSteps: StepVerifier = { steps: verifySteps, costs }
