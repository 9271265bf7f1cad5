/**
 * Checks the steps of a Tron origin against its order (TRON-5): what the wallet is asked to sign may only approve the
 * depository that the client knows, deposit for that order, pay its recipient within the chain, or pay the deposit
 * address that the step shows.
 *
 * SECURITY: an allowlist. The data is built again and compared member by member; anything else is `unchecked`.
 */
import * as Result from "effect/Result"
import { isSend } from "../../../quote/Send.ts"
import { check, checkEqual, unchecked } from "../../../quote/verify/Check.ts"
import type { Check } from "../../../quote/verify/Check.ts"
import type { DepositExpectation, StepVerifier } from "../../../quote/verify/StepVerifier.ts"
import type { Step, TransactionStep } from "../../../quote/wire/Step.ts"
import type { TransactionData } from "../../TransactionData.ts"
import { approvalData, depositData, sendData } from "../steps/StepData.ts"
import type { TronPayment } from "../steps/StepData.ts"
import { tronAddresses } from "../TronAddresses.ts"

/** As one line, with the members in a fixed order. Members that the form does not have were removed by decoding. */
const lineOf = (data: TransactionData): string => {
  if (!("parameter" in data)) return "no Tron transaction"
  return data.type === "TransferContract"
    ? [data.type, data.parameter.owner_address, data.parameter.to_address, data.parameter.amount, data.memo ?? ""].join(
      " "
    )
    : [
      data.type,
      data.parameter.owner_address,
      data.parameter.contract_address,
      data.parameter.data,
      data.parameter.call_value
    ].join(" ")
}

const lineFor = <E>(data: Result.Result<TransactionData, E>): string =>
  Result.match(data, { onSuccess: lineOf, onFailure: () => "none: no such transaction can be made" })

const paymentOf = ({ amount, request }: DepositExpectation): TronPayment => ({
  user: request.user,
  currency: request.originCurrency,
  amount
})

/** Exactly the amount, after the reset to zero that some tokens require. */
const verifyApproval = ({ items }: TransactionStep, expected: DepositExpectation): ReadonlyArray<Check> => {
  const { amount, request: { origin } } = expected
  const units = items.length === 2 ? [0n, amount] : [amount]
  return [
    check("approve items", items.length === 1 || items.length === 2, `${items.length}`),
    ...items.map(({ data }, index) =>
      checkEqual(
        `approve ${index} transaction`,
        lineOf(data),
        lineFor(approvalData(paymentOf(expected), origin, units[index] ?? 0n))
      )
    )
  ]
}

const verifyPayment = (step: TransactionStep, expected: DepositExpectation): ReadonlyArray<Check> => {
  const { orderId, request } = expected
  const payment = paymentOf(expected)
  const wanted = lineFor(
    isSend(request) ? sendData(payment, request.recipient, orderId) : depositData(payment, request.origin, orderId)
  )
  return [
    check(`${step.id} items`, step.items.length === 1, `${step.items.length}`),
    ...step.items.map(({ data }) => checkEqual(`${step.id} 0 transaction`, lineOf(data), wanted))
  ]
}

/** A known address that cannot be a deposit address. */
const isTaken = (address: string, { request: { origin, recipient, user } }: DepositExpectation): boolean =>
  [user, recipient, origin.depository].some((each) => String(each) === address)

/** One plain transfer to the shown address. Only the service knows whose address it is. */
const verifyAddress = (steps: ReadonlyArray<Step>, expected: DepositExpectation): ReadonlyArray<Check> => {
  const [step] = steps
  const shown = step?.depositAddress ?? "none"
  const parsed = tronAddresses.parse(shown)
  const paid = Result.isSuccess(parsed) ? lineFor(sendData(paymentOf(expected), parsed.success, undefined)) : "none"
  const items = step?.kind === "transaction" ? step.items : []
  return [
    check("deposit steps", steps.length === 1 && step?.id === "deposit", steps.map(({ id }) => id).join()),
    check("deposit address is one", Result.isSuccess(parsed) && !isTaken(shown, expected), shown),
    check("deposit items", items.length === 1, `${items.length}`),
    ...items.map(({ data }) => checkEqual("deposit 0 transaction", lineOf(data), paid)),
    unchecked(
      "deposit address",
      "nobody but the service can derive this chain's: compare it with GET /deposit-addresses"
    )
  ]
}

const verifyStep = (step: Step, expected: DepositExpectation): ReadonlyArray<Check> => {
  const { request } = expected
  const pays = isSend(request) ? "send" : "deposit"
  if (step.kind === "transaction" && step.id === pays) return verifyPayment(step, expected)
  return step.kind === "transaction" && step.id === "approve" && pays === "deposit" && !request.originCurrency.isNative
    ? verifyApproval(step, expected)
    : [unchecked(`step ${step.id}`, `a ${pays} on Tron needs no such step`)]
}

/** An approval may come before the one step that pays. */
const verifySteps: StepVerifier["steps"] = (steps, expected) => {
  if (expected.request.depositAddress !== undefined) return verifyAddress(steps, expected)
  const id = isSend(expected.request) ? "send" : "deposit"
  return [
    checkEqual(`${id} steps`, steps.filter((step) => step.id === id).length, 1),
    check("steps", steps.length <= 2 && steps.at(-1)?.id === id, steps.map((step) => step.id).join()),
    check("no deposit address", steps.every((step) => step.depositAddress === undefined), "not asked for"),
    ...steps.flatMap((step) => verifyStep(step, expected))
  ]
}

/** What the transactions may cost a wallet at most, by the chain's own limits: 15,000 TRX for each of three. */
const MOST_COST = 45_000_000_000n

/**
 * The quote's own figure within bounds: what a transaction burns depends on the chain's prices and on the state of its
 * contracts, and the wallet's `fee_limit` bounds it.
 */
const costs: StepVerifier["costs"] = ({ fees: { gas: { amount } } }) => {
  const told = /^[0-9]{1,20}$/.test(amount) ? BigInt(amount) : 0n
  return told > 0n && told <= MOST_COST ? [told] : [MOST_COST]
}

export const tronSteps: StepVerifier = { steps: verifySteps, costs }
