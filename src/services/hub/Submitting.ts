/**
 * Follows one submission to the hub until it is final: a payment of the solver's account on the hub's chain, signed
 * once, stored, broadcast, and replaced when stuck, like any other. Two workers may follow the same one safely.
 *
 * The gate says in a final block what was executed. The rest, because the hub refused it or another submission was
 * first, is open again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { HubGate } from "../../../ports/hub/HubGate.ts"
import type { Gate } from "../../../ports/hub/SettlingHub.ts"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import type { Submission } from "../../../ports/store/orders/Settlements.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { settlementKey } from "../../domain/hub/IdempotencyKey.ts"
import { recheckAt } from "../../domain/hub/settling/RecheckDelay.ts"
import { OWED } from "../payments/DuePayment.ts"
import type { DuePayment } from "../payments/DuePayment.ts"
import { guardPayment } from "../payments/guard/GuardPayment.ts"
import { pay } from "../payments/pay/PayUntil.ts"
import { countSettled, countStuck, countSubmission } from "../operations/Meters.ts"
import { Followers } from "../following/Followers.ts"

/** How often the hub may refuse signed executions before an operator has to see why. */
const MOST_FAILURES = 5

const AGAIN_MS = 2_000

const dueSubmission = ({ chain, gate }: Gate, { calls, id }: Submission, together: boolean): DuePayment => {
  const orderId = OrderId.make(id)
  return {
    purpose: "settlement",
    deposit: { onchainId: id },
    payment: {
      _tag: "Submission",
      chain,
      currency: chain.native,
      recipient: gate,
      amount: 0n,
      orderId,
      submission: { gate, calls, together }
    },
    patience: OWED,
    notAfter: undefined,
    shown: undefined
  }
}

/** The gate's answer for each key, once its executions cannot be undone. */
const verdicts = Effect.fnUntraced(function*(hub: Gate, { calls }: Submission, isFinal: boolean) {
  const gate = yield* HubGate
  const followers = yield* Followers
  const keys = calls.map(({ idempotencyKey }) => idempotencyKey)
  while (true) {
    const seen = yield* followers.seen(hub.chain, "waits")
    const executed = yield* gate.executed(hub, keys)
    // The same node may not count the block of a final transaction as final yet.
    if (!isFinal || ![...executed.values()].includes("carried-out")) return executed
    yield* followers.moved(hub.chain, seen)
  }
})

export const submit = Effect.fn("Settling.submit")(function*(hub: Gate, submission: Submission) {
  const settlements = yield* Settlements
  const gate = yield* HubGate
  const { takesSeveral } = yield* gate.terms(hub)
  const due = dueSubmission(hub, submission, takesSeveral)
  // Once it is in a block, the next submission may start. It is guarded until no reorg can remove it.
  const placed = yield* pay(due)
  if (placed._tag !== "Unpaid") yield* settlements.placed(submission.id, yield* Clock.currentTimeMillis)
  const payout = placed._tag === "Unpaid" ? placed : yield* guardPayment(due)
  const isFinal = payout._tag !== "Unpaid"
  yield* countSubmission(isFinal ? "final" : "unsigned")
  const executed = yield* verdicts(hub, submission, isFinal)
  const members = yield* settlements.members(submission.id)
  const keyed = members.map(({ deposit, orderId }) => ({ deposit, key: settlementKey([deposit], orderId) }))
  const own = new Set(keyed.map(({ key }) => key))
  const settled = keyed.filter(({ key }) => executed.get(key) === "final")
  const open = keyed.filter(({ key }) => executed.get(key) === "open")
  // When somebody else has executed a mint, an unsigned submission with it can never succeed, so it is made again
  // without the mint.
  const wasOvertaken = !isFinal && [...executed].some(([key, state]) => !own.has(key) && state !== "open")
  const now = yield* Clock.currentTimeMillis
  const refused = yield* settlements.end(submission.id, {
    settled: new Set(settled.map(({ deposit }) => deposit)),
    failed: new Set(wasOvertaken ? [] : open.map(({ deposit }) => deposit)),
    mostFailures: MOST_FAILURES,
    dueAt: wasOvertaken ? now : now + AGAIN_MS,
    on: { chainId: hub.chain.id, gate: hub.gate },
    checkAt: recheckAt(now, now) ?? now
  }, now)
  yield* countSettled("settled", settled.length)
  yield* countSettled("refused", refused.length)
  for (const deposit of refused) {
    yield* countStuck("settlement-refused")
    yield* Effect.logError(
      `the hub refuses the executions that oracles signed for the deposit ${deposit}: it is not settled until an operator retries it`
    )
  }
})
