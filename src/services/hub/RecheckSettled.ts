/**
 * Checks settled deposits again after some time (`recheckAt`): an execution that a reorg past the hub's finality
 * removed is made again. A second check, or a stale answer of a node, does no harm: an opened settlement is followed,
 * found executed, and closed.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { HubGate } from "../../../ports/hub/HubGate.ts"
import type { Gate } from "../../../ports/hub/SettlingHub.ts"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import type { SettledAt } from "../../../ports/store/orders/Settlements.ts"
import { settlementKey } from "../../domain/hub/IdempotencyKey.ts"
import { recheckAt } from "../../domain/hub/settling/RecheckDelay.ts"
import { countStuck } from "../operations/Meters.ts"
import { gates } from "./Gates.ts"

/** Checked in one run. */
const CHECKED = 32

/**
 * One that cannot be read now is checked again after this time and keeps its other checks, until a day after the last.
 */
const AGAIN_MS = 60_000
const GIVEN_UP_MS = 2 * 86_400_000

const lookBackOn = Effect.fnUntraced(function*(gate: Gate, due: ReadonlyArray<SettledAt>) {
  const settlements = yield* Settlements
  const { executed } = yield* HubGate
  const keyed = due.map((settled) => ({ settled, key: settlementKey([settled.deposit], settled.orderId) }))
  const states = yield* executed(gate, keyed.map(({ key }) => key))
  const now = yield* Clock.currentTimeMillis
  for (const { key, settled } of keyed) {
    switch (states.get(key)) {
      case "final":
        yield* settlements.checked(settled, recheckAt(settled.settledAt, now))
        break
      case "open":
        yield* settlements.undone(settled, now)
        yield* countStuck("settlement-undone")
        yield* Effect.logError(
          `${gate.chain.slug} no longer has what settled the deposit ${settled.deposit}: it is settled again`
        )
        break
      default:
        // It was executed in another transaction, which is not final yet.
        yield* settlements.checked(settled, now + AGAIN_MS)
    }
  }
})

export const recheckSettled = Effect.gen(function*() {
  const settlements = yield* Settlements
  const gateOf = yield* gates
  const now = yield* Clock.currentTimeMillis
  const later = (due: ReadonlyArray<SettledAt>) =>
    Effect.forEach(
      due,
      (settled) => settlements.checked(settled, now - settled.settledAt > GIVEN_UP_MS ? undefined : now + AGAIN_MS),
      { discard: true }
    )
  for (
    const due of Map.groupBy(yield* settlements.toCheck(now, CHECKED), ({ chainId, gate }) => `${chainId} ${gate}`)
      .values()
  ) {
    const gate = due[0] === undefined ? undefined : gateOf(due[0])
    // A hub that is unreachable or no longer configured does not delay the checks of others.
    if (gate === undefined) yield* later(due)
    else yield* lookBackOn(gate, due).pipe(Effect.catchTag("ChainUnavailable", () => later(due)))
  }
})
