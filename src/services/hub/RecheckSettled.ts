/**
 * Looks again at what is settled, some time after (`recheckAt`): an execution that a reorganisation past the hub's
 * finality took away is made again. That it is looked at twice, or that a node which is behind says otherwise, does no
 * harm: what is opened again is followed, found to be there, and closed.
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

/** Looked at in one run. */
const CHECKED = 32

/**
 * What cannot be read now is looked at again after this, and keeps its other looks; a day after the last of them no
 * more.
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
        // It stands elsewhere, and is not final there yet.
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
    // A hub that cannot be reached, or is not configured any more, does not keep others from being looked at.
    if (gate === undefined) yield* later(due)
    else yield* lookBackOn(gate, due).pipe(Effect.catchTag("ChainUnavailable", () => later(due)))
  }
})
