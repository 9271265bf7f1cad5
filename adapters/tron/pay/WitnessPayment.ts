/**
 * What a payment rests on, by the quorum: the block that it names, and that a call succeeds, pays the whole amount and
 * takes no more energy than its `fee_limit` pays for (TRON-24).
 *
 * SECURITY: one endpoint has tried the call and told the price of energy. One that tells too little makes the call run
 * out of energy in its block, at the solver's cost, and a refund would then end. One that tells too much, together with
 * the recipient's contract, would choose what the solver burns.
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import { PLAIN_CALL_ENERGY } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import { hasDelivered } from "../../../src/domain/families/tron/payment/Delivered.ts"
import { readPrices } from "../cost/TronPrices.ts"
import type { TronFault, TronRead, TronRpc } from "../rpc/TronRpc.ts"
import { showsBlock, witness } from "./Reference.ts"
import { tryAct } from "./TryPayment.ts"
import type { TriedPayment } from "./TryPayment.ts"

const suffices = ({ body, feeLimit, tokens }: TriedPayment): TronRead<boolean> =>
  Effect.fnUntraced(function*(node, deadline): Effect.fn.Return<boolean, TronFault> {
    const { act } = body
    if (act._tag === "Transfer") return true
    const [trial, { energy: price }] = yield* Effect.all([tryAct(node, act, deadline), readPrices(node, deadline)], {
      concurrency: 2
    })
    const isBounded = tokens !== undefined || feeLimit <= PLAIN_CALL_ENERGY * price
    return trial !== undefined && isBounded && trial.energy * price <= feeLimit && hasDelivered(body, trial.logs)
  })

/** No further request where one host decides. `behind` while the quorum does not show it. */
export const witnessPayment = (
  rpc: TronRpc["Service"],
  chain: Chain,
  block: BlockRef,
  tried: TriedPayment
): Effect.Effect<void, ChainUnavailable> =>
  witness(
    rpc,
    chain,
    "what a payment rests on",
    (node, deadline) =>
      Effect.map(
        Effect.all([showsBlock(block)(node, deadline), suffices(tried)(node, deadline)], { concurrency: 2 }),
        ([hasBlock, isEnough]) => hasBlock && isEnough
      )
  )
