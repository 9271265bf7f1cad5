/** Turns an order into what the user signs on the origin chain, and says what that costs the user's own wallet. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../src/domain/chain/Address.ts"
import type { Chain } from "../src/domain/chain/Chain.ts"
import type { Currency } from "../src/domain/money/Currency.ts"
import type { OrderId } from "../src/domain/order/Order.ts"
import type { Step } from "../src/domain/quote/wire/Step.ts"
import type { RequestId } from "../src/domain/transfer/RequestId.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"

/** The deposit that steps are made for. */
export interface DepositPlan {
  readonly origin: Chain
  readonly currency: Currency
  readonly amount: bigint
  readonly user: Address
  readonly orderId: OrderId
  readonly requestId: RequestId
  /** Path and query at which the request's status is polled. */
  readonly checkEndpoint: string
}

/** What the user's wallet has and pays on the origin chain, read together. */
export interface OriginCosts {
  /** Smallest units of the deposited currency. */
  readonly userBalance: bigint
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

export class StepBuilder extends Context.Service<StepBuilder, {
  /** Reads what the steps of a deposit need to know; asked before the order exists. */
  readonly originCosts: (
    plan: Pick<DepositPlan, "origin" | "currency" | "amount" | "user">
  ) => Effect.Effect<OriginCosts, ChainUnavailable>
  readonly depositSteps: (plan: DepositPlan, costs: OriginCosts) => ReadonlyArray<Step>
}>()("causeway/ports/StepBuilder") {}
