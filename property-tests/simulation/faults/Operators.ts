/** What operators of a simulated world do to the service, by the use cases behind their API. */
import { Effect } from "effect"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { Pausing } from "../../../src/services/operations/Pausing.ts"
import type { NamedScope } from "../../../src/services/operations/Pausing.ts"
import { Retrying } from "../../../src/services/operations/Retrying.ts"
import type { Dice } from "../Dice.ts"
import type { Faults } from "../Faults.ts"
import type { Use } from "../Processes.ts"
import { chainIds, currencies, slugs } from "../Terms.ts"

const EVERY_MS = 10_000
const PAUSED_MS = [5_000, 60_000] as const

/** `requests`: those that were quoted so far. */
export const operatorsOf = (
  use: Use,
  requests: () => ReadonlyArray<RequestId>,
  dice: Dice,
  faults: Faults,
  tell: (event: string) => void
) => {
  const end = () => ({ chainId: ChainId.make(chainIds[dice.pick(slugs)]), currency: dice.pick(currencies) })
  const scope = (): NamedScope =>
    dice.pick<() => NamedScope>([
      () => ({ kind: "chain", chainId: end().chainId }),
      () => ({ kind: "currency", ...end() }),
      () => ({ kind: "route", origin: end(), destination: end() })
    ])()

  /**
   * Pauses, and resumes, whatever happens to the process meanwhile. A pause whose answer is lost may be stored: it is
   * asked for again, which has no further effect, so that the operator knows what to resume.
   */
  const pause = Effect.gen(function*() {
    const drawn = scope()
    const asked = use(Effect.flatMap(Pausing, (pausing) => pausing.pause(drawn, "simulated")))
    let paused = yield* asked
    while (paused === undefined) {
      yield* Effect.sleep(1_000)
      paused = yield* asked
    }
    tell(`an operator pauses ${paused.id}`)
    yield* Effect.sleep(dice.between(...PAUSED_MS))
    while ((yield* use(Effect.flatMap(Pausing, (pausing) => pausing.resume(paused.id)))) === undefined) {
      yield* Effect.sleep(1_000)
    }
    tell(`an operator resumes ${paused.id}`)
  })

  const retry = Effect.gen(function*() {
    const [first, ...rest] = requests()
    if (first === undefined) return
    const id = dice.pick([first, ...rest])
    const retried = yield* use(Effect.flatMap(Retrying, (retrying) => retrying.retry(id)))
    if (retried !== undefined) tell(`an operator retries a request: ${retried.deposits} deposits`)
  })

  const turn = Effect.gen(function*() {
    yield* Effect.sleep(EVERY_MS)
    if (faults.strikes("operator-pauses", 0.1)) yield* Effect.forkScoped(pause)
    if (faults.strikes("operator-retries", 0.2)) yield* retry
  })
  return { live: Effect.forever(turn) }
}
