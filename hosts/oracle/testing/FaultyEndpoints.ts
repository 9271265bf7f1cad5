/** Three endpoints of one local chain, each of which can fail or lie; until told otherwise they tell the truth. */
import { Effect } from "effect"
import { anyFree } from "../../localnet/nodes/Port.ts"

/** `serve` listens on a port and asks before each answer what is to go wrong with it. */
export const faultyEndpoints = Effect.fnUntraced(
  function*<Fault, E, R>(serve: (port: number, fault: () => Fault | undefined) => Effect.Effect<unknown, E, R>) {
    const faults: Array<Fault | undefined> = [undefined, undefined, undefined]
    const urls = yield* Effect.forEach(
      faults,
      Effect.fnUntraced(function*(_, at) {
        const port = yield* anyFree
        yield* serve(port, () => faults[at])
        return `http://127.0.0.1:${port}`
      })
    )
    return {
      urls,
      /** Sets what the endpoints do wrong from now on, first to last. Endpoints that are not named tell the truth. */
      misbehave: (...wrong: ReadonlyArray<Fault | undefined>) =>
        Effect.sync(() =>
          faults.forEach((_, at) => {
            faults[at] = wrong[at]
          })
        )
    }
  }
)
