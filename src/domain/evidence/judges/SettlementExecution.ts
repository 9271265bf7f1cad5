/**
 * What a fill or a refund does on the hub (EXEC-8): the order's deposits move to the solver. After a fill the solver
 * pays the order's fees.
 */
import { protocolFamily } from "../../chain/ProtocolFamily.ts"
import * as Result from "effect/Result"
import type { Hex } from "../../encoding/Hex.ts"
import type { Order, OrderFee, OrderId } from "../../order/Order.ts"
import { type Action, encodeAction } from "../../hub/Action.ts"
import { alias } from "../../hub/Alias.ts"
import type { ChainRef } from "../../hub/ChainRef.ts"
import type { Execution } from "../../hub/Execution.ts"
import { hubTokenId } from "../../hub/HubTokenId.ts"
import { settlementKey } from "../../hub/IdempotencyKey.ts"
import { orderAddress } from "../../hub/OrderAddress.ts"
import { configuredChain, type JudgeContext } from "./JudgeContext.ts"
import { type Refusal, refusing } from "./Refusal.ts"
import type { SettledInput } from "./SettledInputs.ts"

/** The solver is an EVM account on every chain, so its chain need not be configured. */
const solverAlias = (context: JudgeContext, order: Order) => {
  const chain: ChainRef = { slug: order.solverChainId, family: protocolFamily, network: context.network }
  return Result.mapError(alias(chain, order.solver), refusing("invalid-order"))
}

const encode = (action: Action): Result.Result<Hex, Refusal> =>
  Result.mapError(encodeAction(action), refusing("malformed"))

/** Moves a deposit from the order's account to the solver's. */
const released = (context: JudgeContext, order: Order, settled: SettledInput): Result.Result<Hex, Refusal> =>
  Result.gen(function*() {
    const { chain, deposit, timestamp } = settled
    const from = yield* Result.mapError(
      orderAddress(chain, deposit.depositor, BigInt(timestamp), deposit.depositId),
      refusing("malformed")
    )
    const tokenId = yield* Result.mapError(hubTokenId(chain, deposit.currency), refusing("malformed"))
    return yield* encode({
      _tag: "Transfer",
      from,
      to: yield* solverAlias(context, order),
      tokenId,
      amount: deposit.amount
    })
  })

/** Moves a fee from the solver's account to its recipient's. */
const feePaid = (context: JudgeContext, order: Order, fee: OrderFee): Result.Result<Hex, Refusal> =>
  Result.gen(function*() {
    const home = yield* configuredChain(context, fee.recipientChainId)
    const currencyChain = yield* configuredChain(context, fee.currencyChainId)
    const to = yield* Result.mapError(alias(home, fee.recipient), refusing("invalid-order"))
    const tokenId = yield* Result.mapError(hubTokenId(currencyChain, fee.currency), refusing("invalid-order"))
    return yield* encode({
      _tag: "Transfer",
      from: yield* solverAlias(context, order),
      to,
      tokenId,
      amount: fee.amount
    })
  })

/** Deposits in the order of the claim's entries, then `fees` in the order's own order. A refund has no fees. */
export const settlementExecution = (
  context: JudgeContext,
  order: Order,
  id: OrderId,
  settled: ReadonlyArray<SettledInput>,
  fees: ReadonlyArray<OrderFee>
): Result.Result<Execution, Refusal> =>
  Result.gen(function*() {
    const releases = yield* Result.all(settled.map((each) => released(context, order, each)))
    const paid = yield* Result.all(fees.map((fee) => feePaid(context, order, fee)))
    return {
      idempotencyKey: settlementKey(settled.map(({ entry }) => entry.onchainId), id),
      actions: [...releases, ...paid]
    }
  })
