/** Kills one process at one named place of any kind of transfer; and finds the places of such a transfer. */
import { assert } from "@effect/vitest"
import { Effect, Option, Schedule } from "effect"
import type { Scope } from "effect"
import { tally } from "../../../../../scripts/testing/Tally.ts"
import type { HostProcess } from "../../../testing/HostProcess.ts"

/** The process to kill, which handles deposits, and the URL for quotes. */
export interface CrashTarget {
  readonly spawn: (failpoint: string) => Effect.Effect<HostProcess, never, Scope.Scope>
  /** The service's URL while this process handles deposits. */
  readonly urlOf: (target: HostProcess) => string
}

/** One kind of transfer, begun any number of times, each time with another index. */
export interface Journey<Begun> {
  readonly name: string
  /** Requests the quote. */
  readonly begin: (url: string, index: number) => Effect.Effect<Begun>
  /** The user's part. */
  readonly pay: (begun: Begun, index: number) => Effect.Effect<unknown>
  /** Waits until the request has ended. */
  readonly ended: (url: string, begun: Begun) => Effect.Effect<unknown>
  /** The last write for a deposit. */
  readonly last: string
}

const untilReady = (url: string) =>
  Effect.repeat(Effect.promise(() => fetch(`${url}/ready`).then(({ status }) => status === 200, () => false)), {
    until: (yes) => yes,
    schedule: Schedule.spaced("20 millis")
  })

/** The places that a transfer of this kind passes, printed by a host that handles one. */
export const crashpointsOf = <Begun>(
  { spawn, urlOf }: CrashTarget,
  { begin, ended, last, pay }: Journey<Begun>,
  index: number
) =>
  Effect.scoped(Effect.gen(function*() {
    const host = yield* spawn("?")
    const url = urlOf(host)
    yield* untilReady(url)
    const begun = yield* begin(url, index)
    yield* pay(begun, index)
    yield* ended(url, begun)
    yield* Effect.repeat(Effect.sync(() => host.output().includes(last)), {
      until: (done) => done,
      schedule: Schedule.spaced("50 millis")
    }).pipe(
      Effect.timeoutOrElse({
        duration: "180 seconds",
        orElse: () => Effect.die(new Error(`the deposit was never closed:\n${host.output()}`))
      })
    )
    const places = [...host.output().matchAll(/^failpoint (.+)$/gm)].map(([, place = ""]) => place)
    return { begun, places }
  }))

/** Not every transfer passes every place: a deposit that is already final when first seen adds no exposure. */
const TRIES = 4

/** Begins transfers under a host that ends at the place, one after the other until it has ended. */
export const injectCrash = <Begun>(
  { spawn, urlOf }: CrashTarget,
  { begin, name, pay }: Journey<Begun>,
  place: string,
  index: number
) =>
  Effect.scoped(Effect.gen(function*() {
    const host = yield* spawn(place)
    const url = urlOf(host)
    const begun: Array<Begun> = []
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      // It may end before the quote is answered.
      const asked = Effect.flatMap(untilReady(url), () => begin(url, index + attempt)).pipe(
        Effect.catchCause(() => Effect.undefined)
      )
      const one = yield* Effect.raceFirst(asked, Effect.as(host.ended, undefined))
      if (one !== undefined) {
        begun.push(one)
        yield* pay(one, index + attempt)
      }
      const end = yield* host.ended.pipe(Effect.timeoutOption("15 seconds"))
      if (Option.isSome(end)) {
        assert.strictEqual(end.value, "SIGKILL", `${name}, ${place}: ${host.output().slice(-2_000)}`)
        tally("kills", 1)
        return begun
      }
    }
    return assert.fail(`${name}, ${place}: ${TRIES} transfers did not come by it:\n${host.output().slice(-4_000)}`)
  }))
