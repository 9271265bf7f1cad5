/**
 * How a client verifies the steps of a quote for a family. The verifiers of the six families are in
 * `families/StepVerifiers.ts`. A client of another family brings its own.
 */
import type { Address, CurrencyAddress } from "../../chain/Address.ts"
import type { OrderId } from "../../order/Order.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import type { Quote } from "../wire/Quote.ts"
import type { Step } from "../wire/Step.ts"
import { check, checkEqual } from "./Check.ts"
import type { Check } from "./Check.ts"

/** What the steps must pay, and how the request asked for it. */
export interface DepositExpectation {
  readonly request: ResolvedRequest
  readonly orderId: OrderId
  readonly amount: bigint
  /** The minimum output that the order allows, smallest units of the destination currency. */
  readonly least: bigint
  readonly explicitDeposit: boolean
}

/** What the steps of a swap before the deposit must do. */
export interface SwapDepositExpectation {
  readonly request: ResolvedRequest
  readonly orderId: OrderId
  /** The order's input: the currency of the deposit, and the least deposit in its smallest units. */
  readonly deposit: { readonly currency: CurrencyAddress; readonly amount: bigint }
  /** The contract or program that swaps and deposits, as the client knows it. */
  readonly depositor: Address
  /** The most that the client is willing to pay, smallest units of the origin currency. */
  readonly maximumIn: bigint | undefined
}

/** Checks the steps of a swap before the deposit. */
export interface SwapDepositVerifier {
  /** SECURITY: an allowlist, but for the route itself, which stays `unchecked`. */
  readonly steps: (steps: ReadonlyArray<Step>, expected: SwapDepositExpectation) => ReadonlyArray<Check>
  /** The most that the deposit step takes, smallest units of the origin currency; zero when it cannot be read. */
  readonly amountOf: (steps: ReadonlyArray<Step>) => bigint
}

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

export interface StepVerifier {
  /**
   * SECURITY: an allowlist. The transactions that the wallet is asked to sign may do nothing but pay what is expected;
   * anything unknown is `unchecked`.
   */
  readonly steps: (steps: ReadonlyArray<Step>, expected: DepositExpectation) => ReadonlyArray<Check>
  /**
   * The possible costs of the steps for the user's own wallet, smallest units of the native currency: the quote must
   * show one of these.
   */
  readonly costs: (quote: Quote, request: ResolvedRequest) => ReadonlyArray<bigint>
  /** Absent for a family in which nothing is swapped before a deposit. */
  readonly swapDeposits?: SwapDepositVerifier
}

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
