/**
 * Checks the steps of an exchange B origin against its order (EXCHANGEB-5): one transfer, which may only pay the
 * depository that the client knows, or the recipient of a send, with the order's id as its memo.
 *
 * SECURITY: an allowlist. Only the exchange's fee is taken from the service, because it depends on the account. The
 * quote must show it as gas, and it has a bound. Everything else is built again and compared member by member.
 */
import { isSend } from "../../../quote/Send.ts"
import { check, checkEqual, unchecked } from "../../../quote/verify/Check.ts"
import type { Check } from "../../../quote/verify/Check.ts"
import type { DepositExpectation, StepVerifier } from "../../../quote/verify/StepVerifier.ts"
import type { Step, TransactionStep } from "../../../quote/wire/Step.ts"
import type { TransactionData } from "../../TransactionData.ts"
import { isExchangeBData } from "../../TransactionData.ts"
import { transferData } from "../steps/StepData.ts"

/** Smallest units of USDC: more for a transfer is not what the exchange asks for. */
const MOST_FEE = 10_000_000n

const feeIn = (data: TransactionData): bigint | undefined =>
  isExchangeBData(data) ? BigInt(data.action.parameters.usdcFee) : undefined

const verifyTransfer = (
  data: TransactionData,
  { amount, orderId, request }: DepositExpectation
): ReadonlyArray<Check> => {
  if (!isExchangeBData(data)) return [check("transaction", false, "no transfer of exchange B")]
  const fee = BigInt(data.action.parameters.usdcFee)
  const payee = isSend(request) ? request.recipient : request.origin.depository
  const expected = transferData(payee, { currency: request.originCurrency, amount, fee, orderId })
  const said = new Map(Object.entries(data.action.parameters))
  return [
    check("exchange's fee", fee >= 0n && fee <= MOST_FEE, `${fee}`),
    checkEqual("action", data.action.type, expected.action.type),
    ...Object.entries(expected.action.parameters).map(([name, value]) => checkEqual(name, said.get(name), value))
  ]
}

const verifyPayment = ({ id, items }: TransactionStep, expected: DepositExpectation): ReadonlyArray<Check> => [
  check(`${id} items`, items.length === 1, `${items.length}`),
  ...items.flatMap(({ data }) =>
    verifyTransfer(data, expected).map((each) => ({ ...each, name: `${id} 0 ${each.name}` }))
  )
]

const verifyStep = (step: Step, pays: string, expected: DepositExpectation): ReadonlyArray<Check> =>
  step.kind === "transaction" && step.id === pays
    ? verifyPayment(step, expected)
    : [unchecked(`step ${step.id}`, `a ${pays} on exchange B needs no such step`)]

const verifySteps: StepVerifier["steps"] = (steps, expected) => {
  const { request } = expected
  const pays = isSend(request) ? "send" : "deposit"
  if (request.depositAddress !== undefined) return [unchecked("deposit address", "there are none on exchange B")]
  return [
    checkEqual("steps", steps.map(({ id }) => id).join(), pays),
    check("no deposit address", steps.every((step) => step.depositAddress === undefined), "not asked for"),
    ...steps.flatMap((step) => verifyStep(step, pays, expected))
  ]
}

/** The exchange's fee, which the transfer itself names. */
const feeCosts: StepVerifier["costs"] = ({ steps }) =>
  steps.flatMap((step) => step.kind === "transaction" ? step.items : []).flatMap(({ data }) => feeIn(data) ?? [])

export const exchangeBSteps: StepVerifier = { steps: verifySteps, costs: feeCosts }
