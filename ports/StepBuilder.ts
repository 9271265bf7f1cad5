/** Turns an order into what the user signs on the origin chain, and says what that costs the user's own wallet. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Address } from "../src/domain/chain/Address.ts"
import type { Chain } from "../src/domain/chain/Chain.ts"
import type { Currency } from "../src/domain/money/Currency.ts"
import type { OrderId } from "../src/domain/order/Order.ts"
import type { RouterCall } from "../src/domain/order/RouterCall.ts"
import type { PermitTerms } from "../src/domain/permit/Permit.ts"
import type { Step } from "../src/domain/quote/wire/Step.ts"
import type { RequestId } from "../src/domain/transfer/RequestId.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import { FailedCall } from "./Treasury.ts"

/** How the user's money goes on its way. */
export type DepositWay =
  /** Through the depository's function, after an approval where the currency is a token. */
  | { readonly _tag: "Depository" }
  /** A plain token transfer to the depository with the order id appended (`explicitDeposit: false`). */
  | { readonly _tag: "Transfer" }
  /** By a plain transfer to an address of the order's own, which says nothing of it; `address` is one that there is already. */
  | { readonly _tag: "Address"; readonly factory: Address; readonly depositor: Address; readonly address: Address | undefined }
  /** By a signature of the user's, which somebody else submits; an approval of Permit2 may come before it. */
  | { readonly _tag: "Permit"; readonly terms: PermitTerms }
  /** By the call of a swap source's router, within one chain, with the order id appended; `gas` is what it usually takes. */
  | { readonly _tag: "Swap"; readonly call: RouterCall; readonly gas: bigint }
  /** By the SwapDepositor, which swaps what the user pays by a call of a source's router and deposits the output; `gas` is the swap's. */
  | { readonly _tag: "SwapDeposit"; readonly depositor: Address; readonly call: RouterCall; readonly gas: bigint; readonly output: Currency; readonly minimum: bigint }
  /** To the recipient itself, within one chain and currency, with the order id appended. */
  | { readonly _tag: "Send"; readonly recipient: Address }

/** What the user pays with, before the order exists. */
export interface DepositIntent {
  readonly origin: Chain
  readonly currency: Currency
  /** Smallest units of the currency. */
  readonly amount: bigint
  readonly user: Address
  readonly way: DepositWay
}

/** The deposit that steps are made for. */
export interface DepositPlan extends DepositIntent {
  readonly orderId: OrderId
  readonly requestId: RequestId
  /** Path and query at which the request's status is polled. */
  readonly checkEndpoint: string
}

/** An approval that the deposit needs first; zero resets an old one, for tokens that demand it. */
export interface Approval {
  readonly amount: bigint
  readonly gasLimit: bigint
}

/** What the user's wallet has and pays on the origin chain, read together. */
export interface OriginCosts {
  /** Smallest units of the deposited currency. */
  readonly userBalance: bigint
  /** In the order in which they are sent; none when the allowance suffices. */
  readonly approvals: ReadonlyArray<Approval>
  /** Of the deposit itself. */
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** The chain would not carry out the user's own transaction: it was simulated with the balance that is there. */
export class DepositRefused extends Schema.TaggedError<DepositRefused>()("DepositRefused", {
  call: FailedCall,
  block: Schema.BigIntFromString
}) {
  override get message(): string {
    return "the transaction that the quote would ask for was simulated and reverts"
  }
}

export class StepBuilder extends Context.Service<StepBuilder, {
  /** Reads what the steps of a deposit need to know; asked before the order exists. */
  readonly originCosts: (intent: DepositIntent) => Effect.Effect<OriginCosts, ChainUnavailable | DepositRefused>
  readonly depositSteps: (plan: DepositPlan, costs: OriginCosts) => ReadonlyArray<Step>
}>()("causeway/ports/StepBuilder") {}
