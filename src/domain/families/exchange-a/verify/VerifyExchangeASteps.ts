/**
 * Checks the steps of an exchange A origin against its order (EXCHANGEA-8): the mapping may only name that order, and
 * the transfer may only pay the depository that the client knows, or the recipient of a send, with the nonce that is
 * mapped.
 *
 * SECURITY: an allowlist. Only the nonce, the token's name and whether it is taken from spot (EXCHANGEA-36) are taken
 * from the service; both items are built again and compared member by member. Spot of the same account is as good a
 * source: the same amount of the same token goes to the same payee. A nonce is of one transfer, and the exchange refuses one that is far from its clock.
 */
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import type { ResolvedRequest } from "../../../quote/request/ResolveRequest.ts"
import { isSend } from "../../../quote/Send.ts"
import { check, checkEqual, unchecked } from "../../../quote/verify/Check.ts"
import type { Check } from "../../../quote/verify/Check.ts"
import type { DepositExpectation, StepVerifier } from "../../../quote/verify/StepVerifier.ts"
import type { SignatureStep, Step, TransactionStep } from "../../../quote/wire/Step.ts"
import type { TransactionData } from "../../TransactionData.ts"
import { exchangeAAddresses } from "../ExchangeAAddresses.ts"
import { mappingData, transferData } from "../steps/StepData.ts"

/** With its members in the order of the alphabet, whatever their order was. */
const lineOf = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => one < other ? -1 : 1))
      : each) ?? "nothing"

/** The name in NAME:0x…, which the exchange compares with the id. Anything odd is no name. */
const nameIn = (token: string): string => /^([!-9;-~]{1,24}):0x/.exec(token)?.[1] ?? ""

const nonceIn = (data: TransactionData): number | undefined => "eip712PrimaryType" in data ? data.nonce : undefined

type Paying = "deposit" | "send"

const payingOf = (request: ResolvedRequest): Paying => isSend(request) ? "send" : "deposit"

const paymentOf = (steps: ReadonlyArray<Step>, pays: Paying): TransactionStep | undefined =>
  steps.find((step): step is TransactionStep => step.kind === "transaction" && step.id === pays)

const verifyPayment = (
  { id, items }: TransactionStep,
  { amount, request: { origin, originCurrency } }: DepositExpectation,
  payee: Address
): ReadonlyArray<Check> => [
  check(`${id} items`, items.length === 1, `${items.length}`),
  ...items.map(({ data }) => {
    if (!("eip712PrimaryType" in data)) return check(`${id} 0 transaction`, false, "no transfer of exchange A")
    const { sourceDex, token } = data.action.parameters
    const payment = {
      currency: originCurrency,
      amount,
      tokenName: nameIn(token),
      nonce: data.nonce,
      ...(sourceDex === "spot" ? { sourceDex } : {})
    }
    return checkEqual(`${id} 0 transaction`, lineOf(data), lineOf(transferData(origin, payee, payment)))
  })
]

const verifyMapping = (
  { items }: SignatureStep,
  { orderId, request: { origin, user } }: DepositExpectation,
  nonce: number | undefined
): ReadonlyArray<Check> => [
  check("authorize items", items.length === 1, `${items.length}`),
  ...items.map(({ data }) =>
    nonce === undefined
      ? check("authorize 0 signature", false, "no transfer has its nonce")
      : checkEqual("authorize 0 signature", lineOf(data), lineOf(mappingData(origin, user, orderId, nonce)))
  )
]

const verifyStep = (step: Step, expected: DepositExpectation, nonce: number | undefined): ReadonlyArray<Check> => {
  if (step.kind === "signature" && step.id === "authorize") return verifyMapping(step, expected, nonce)
  const { request } = expected
  const pays = payingOf(request)
  if (step.kind === "transaction" && step.id === pays) {
    return verifyPayment(step, expected, pays === "send" ? request.recipient : request.origin.depository)
  }
  return [unchecked(`step ${step.id}`, `a ${pays} on exchange A needs no such step`)]
}

/** A known account that cannot be a deposit address. */
const isTaken = (address: string, { request: { origin, recipient, user } }: DepositExpectation): boolean =>
  [user, recipient, origin.depository].some((each) => String(each) === address)

/** One plain transfer to the shown address. Only the service knows whose address it is. */
const verifyAddress = (steps: ReadonlyArray<Step>, expected: DepositExpectation): ReadonlyArray<Check> => {
  const [step] = steps
  const shown = step?.depositAddress ?? "none"
  const parsed = exchangeAAddresses.parse(shown)
  return [
    check(
      "deposit steps",
      steps.length === 1 && step?.id === "deposit" && step.kind === "transaction",
      steps.map(({ id }) => id).join()
    ),
    check("deposit address is one", Result.isSuccess(parsed) && !isTaken(shown, expected), shown),
    ...(step?.kind === "transaction" && Result.isSuccess(parsed) ? verifyPayment(step, expected, parsed.success) : []),
    unchecked(
      "deposit address",
      "nobody but the service can derive this chain's: compare it with GET /deposit-addresses"
    )
  ]
}

/** The mapping comes first: a transfer without one names no order. */
const verifySteps: StepVerifier["steps"] = (steps, expected) => {
  const { request } = expected
  if (request.depositAddress !== undefined) return verifyAddress(steps, expected)
  const pays = payingOf(request)
  const [item] = paymentOf(steps, pays)?.items ?? []
  const nonce = item === undefined ? undefined : nonceIn(item.data)
  return [
    checkEqual("steps", steps.map(({ id }) => id).join(), `authorize,${pays}`),
    check("no deposit address", steps.every((step) => step.depositAddress === undefined), "not asked for"),
    ...steps.flatMap((step) => verifyStep(step, expected, nonce))
  ]
}

/** More than the exchange takes for a new account, smallest units of USDC. */
const MOST_FEE = 1_000_000_000n

/**
 * A transfer costs its sender nothing where the account exists: the depository's does. A deposit address has none before
 * it is paid, and the recipient of a send may have none.
 */
const costs: StepVerifier["costs"] = ({ fees: { gas: { amount } } }, request) => {
  if (request.depositAddress === undefined && !isSend(request)) return [0n]
  const told = /^[0-9]{1,20}$/.test(amount) ? BigInt(amount) : 0n
  return told <= MOST_FEE ? [told] : [MOST_FEE]
}

export const exchangeASteps: StepVerifier = { steps: verifySteps, costs }
