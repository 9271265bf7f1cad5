/**
 * Checks the steps of an exchange B origin against its order (EXCHANGEB-5): one transfer, which may only pay the
 * depository that the client knows, with the order's id as its memo.
 *
 * SECURITY: an allowlist. Only the exchange's fee is taken from the service, because it depends on the account. The
 * quote must show it as gas, and it has a bound. Everything else is built again and compared member by member.
 */
import { isSend } from "../../../quote/Send.ts"
import { check, checkEqual, unchecked } from "../../../quote/verify/Check.ts"
import type { Check } from "../../../quote/verify/Check.ts"
import type { DepositExpectation, StepVerifier } from "../../../quote/verify/StepVerifier.ts"
import type { Step, TransactionStep } from "../../../quote/wire/Step.ts"
import type { TransactionData } from "../../../quote/wire/TransactionData.ts"
import { isExchangeBData } from "../../../quote/wire/TransactionData.ts"
import { depositData } from "../steps/StepData.ts"

/** Smallest units of USDC: more for a transfer is not what the exchange asks for. */
const MOST_FEE = 10_000_000n

const feeIn = (data: TransactionData): bigint | undefined =>
  isExchangeBData(data) ? BigInt(data.action.parameters.usdcFee) : undefined

const verifyTransfer = (
  data: TransactionData,
  { amount, orderId, request: { origin, originCurrency } }: DepositExpectation
): ReadonlyArray<Check> => {
  if (!isExchangeBData(data)) return [check("deposit 0 transaction", false, "no transfer of exchange B")]
  const fee = BigInt(data.action.parameters.usdcFee)
  const expected = depositData(origin, { currency: originCurrency, amount, fee, orderId })
  const said = new Map(Object.entries(data.action.parameters))
  return [
    check("deposit 0 exchange's fee", fee >= 0n && fee <= MOST_FEE, `${fee}`),
    checkEqual("deposit 0 action", data.action.type, expected.action.type),
    ...Object.entries(expected.action.parameters).map(([name, value]) =>
      checkEqual(`deposit 0 ${name}`, said.get(name), value)
    )
  ]
}

const verifyDeposit = ({ items }: TransactionStep, expected: DepositExpectation): ReadonlyArray<Check> => [
  check("deposit items", items.length === 1, `${items.length}`),
  ...items.flatMap(({ data }) => verifyTransfer(data, expected))
]

const verifyStep = (step: Step, expected: DepositExpectation): ReadonlyArray<Check> =>
  step.kind === "transaction" && step.id === "deposit"
    ? verifyDeposit(step, expected)
    : [unchecked(`step ${step.id}`, "a deposit on exchange B needs no such step")]

const verifySteps: StepVerifier["steps"] = (steps, expected) => {
  const { request } = expected
  if (isSend(request)) return [unchecked("send", "there are none on exchange B in this version")]
  if (request.depositAddress !== undefined) return [unchecked("deposit address", "there are none on exchange B")]
  return [
    checkEqual("steps", steps.map(({ id }) => id).join(), "deposit"),
    check("no deposit address", steps.every((step) => step.depositAddress === undefined), "not asked for"),
    ...steps.flatMap((step) => verifyStep(step, expected))
  ]
}

/** The exchange's fee, which the transfer itself names. */
const feeCosts: StepVerifier["costs"] = ({ steps }) =>
  steps.flatMap((step) => step.kind === "transaction" ? step.items : []).flatMap(({ data }) => feeIn(data) ?? [])

export const exchangeBSteps: StepVerifier = { steps: verifySteps, costs: feeCosts }
