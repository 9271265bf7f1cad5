/**
 * The verifier of a family's steps on a `Chain`, and what all of them check alike. A family's own verifier is part of
 * its rules (`FamilyRules.stepVerifier`).
 */
import type { Chain } from "../../chain/Chain.ts"
import type { Step } from "../wire/Step.ts"
import { check, checkEqual } from "./Check.ts"
import type { Check } from "./Check.ts"
import type {
  DepositExpectationOn,
  StepVerifierOn,
  SwapDepositExpectationOn,
  SwapDepositVerifierOn
} from "./StepVerifierOn.ts"

/** What the steps must pay, and how the request asked for it. */
export type DepositExpectation = DepositExpectationOn<Chain>

/** What the steps of a swap before the deposit must do. */
export type SwapDepositExpectation = SwapDepositExpectationOn<Chain>

/** Checks the steps of a swap before the deposit. */
export type SwapDepositVerifier = SwapDepositVerifierOn<Chain>

/** Checks the steps of a quote. */
export type StepVerifier = StepVerifierOn<Chain>

/** What a swap before the deposit may take: exactly the requested input, or any within the client's bound. */
export const verifyAmountIn = (
  name: string,
  amount: bigint,
  { maximumIn, request }: SwapDepositExpectation
): ReadonlyArray<Check> => [
  request.tradeType === "EXACT_INPUT"
    ? checkEqual(`${name} amount`, amount, request.amount)
    : check(`${name} amount`, amount > 0n, `${amount}`),
  check(`${name} within the client's bound`, maximumIn === undefined || amount <= maximumIn, `${amount}`)
]

const verifyChecks = (step: Step): ReadonlyArray<Check> => [
  check(`${step.id} request id`, /^0x[0-9a-f]{64}$/.test(step.requestId), step.requestId),
  ...step.items.flatMap((item, index) =>
    item.check === undefined
      ? [check(`${step.id} ${index} status endpoint`, step.id === "approve" || step.id === "authorize", "none")]
      : [
        check(
          `${step.id} ${index} status endpoint`,
          /^\/intents\/status(?:\/v3)?\?/.test(item.check.endpoint) &&
            item.check.endpoint.endsWith(`?requestId=${step.requestId}`),
          item.check.endpoint
        )
      ]
  )
]

/** Checks what every step says about its request, whatever the step asks for. */
export const verifyBookkeeping = (steps: ReadonlyArray<Step>): ReadonlyArray<Check> => [
  ...steps.flatMap(verifyChecks),
  checkEqual("one request id", new Set(steps.map((step) => step.requestId)).size, 1)
]
