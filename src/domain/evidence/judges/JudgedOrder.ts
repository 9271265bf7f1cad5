/** The order of a claim, made canonical, with its id, after its solver's signature was checked (CLAIM-1). */
import * as Result from "effect/Result"
import type { ChainSlug } from "../../chain/ChainId.ts"
import type { Hex } from "../../encoding/Hex.ts"
import { canonicalOrder } from "../../order/CanonicalOrder.ts"
import type { Order, OrderId } from "../../order/Order.ts"
import { orderId } from "../../order/OrderId.ts"
import { configuredChain, type JudgeContext, settlementContext } from "./JudgeContext.ts"
import { type Refusal, refuse, refusing } from "./Refusal.ts"

export interface JudgedOrder {
  readonly id: OrderId
  /** Addresses are in canonical spelling, so they can be compared with evidence. */
  readonly order: Order
}

/** All chains that the order names. */
const chainsOf = ({ fees, inputs, output, solverChainId }: Order): ReadonlySet<ChainSlug> =>
  new Set([
    solverChainId,
    output.chainId,
    ...inputs.flatMap(({ payment, refunds }) => [payment.chainId, ...refunds.map(({ chainId }) => chainId)]),
    ...fees.flatMap(({ currencyChainId, recipientChainId }) => [currencyChainId, recipientChainId])
  ])

/** Refuses a chain that is not configured, an order that cannot be hashed, and one that its solver did not sign. */
export const judgeOrder = (
  context: JudgeContext,
  claimed: Order,
  signature: Hex
): Result.Result<JudgedOrder, Refusal> =>
  Result.gen(function*() {
    yield* Result.all([...chainsOf(claimed)].map((slug) => configuredChain(context, slug)))
    const { familyOf, network } = settlementContext(context)
    const order = yield* Result.mapError(canonicalOrder(claimed, familyOf, network), refusing("invalid-order"))
    const id = yield* Result.mapError(orderId(order, familyOf, network), refusing("invalid-order"))
    return context.isSignedBy(id, signature, order.solver) ? { id, order } : yield* refuse("wrong-order-signature", id)
  })
