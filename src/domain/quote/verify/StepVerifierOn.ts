/**
 * How a client verifies the steps of a quote (`FamilyRules.stepVerifier`). Types only, generic in the chain: a chain
 * refers to its family's rules, which contain such a verifier. `StepVerifier.ts` has them on a `Chain`.
 */
import type { Address, CurrencyAddress } from "../../chain/Address.ts"
import type { ConfiguredChain } from "../../chain/ConfiguredChain.ts"
import type { OrderId } from "../../order/Order.ts"
import type { ResolvedRequestOn } from "../request/ResolvedRequest.ts"
import type { Quote } from "../wire/Quote.ts"
import type { Step } from "../wire/Step.ts"
import type { Check } from "./Check.ts"

/** What the steps must pay, and how the request asked for it. */
export interface DepositExpectationOn<Served extends ConfiguredChain> {
  readonly request: ResolvedRequestOn<Served>
  readonly orderId: OrderId
  readonly amount: bigint
  /** The minimum output that the order allows, smallest units of the destination currency. */
  readonly least: bigint
  readonly explicitDeposit: boolean
}

/** What the steps of a swap before the deposit must do. */
export interface SwapDepositExpectationOn<Served extends ConfiguredChain> {
  readonly request: ResolvedRequestOn<Served>
  readonly orderId: OrderId
  /** The order's input: the currency of the deposit, and the least deposit in its smallest units. */
  readonly deposit: { readonly currency: CurrencyAddress; readonly amount: bigint }
  /** The contract or program that swaps and deposits, as the client knows it. */
  readonly depositor: Address
  /** The most that the client is willing to pay, smallest units of the origin currency. */
  readonly maximumIn: bigint | undefined
}

/** Checks the steps of a swap before the deposit. */
export interface SwapDepositVerifierOn<Served extends ConfiguredChain> {
  /** SECURITY: an allowlist, but for the route itself, which stays `unchecked`. */
  readonly steps: (steps: ReadonlyArray<Step>, expected: SwapDepositExpectationOn<Served>) => ReadonlyArray<Check>
  /** The most that the deposit step takes, smallest units of the origin currency; zero when it cannot be read. */
  readonly amountOf: (steps: ReadonlyArray<Step>) => bigint
}

/** Checks the steps of a quote. */
export interface StepVerifierOn<Served extends ConfiguredChain> {
  /**
   * SECURITY: an allowlist. The transactions that the wallet is asked to sign may do nothing but pay what is expected;
   * anything unknown is `unchecked`.
   */
  readonly steps: (steps: ReadonlyArray<Step>, expected: DepositExpectationOn<Served>) => ReadonlyArray<Check>
  /**
   * The possible costs of the steps for the user's own wallet, smallest units of the native currency: the quote must
   * show one of these.
   */
  readonly costs: (quote: Quote, request: ResolvedRequestOn<Served>) => ReadonlyArray<bigint>
  /** Absent for a family in which nothing is swapped before a deposit. */
  readonly swapDeposits?: SwapDepositVerifierOn<Served>
}
