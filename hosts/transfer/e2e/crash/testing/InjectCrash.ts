/** Learns the named places of a way through a host, and kills a host at one of them, whatever the way is. */
import { assert } from "@effect/vitest"
import { Effect, Option, Schedule } from "effect"
import type { Duration, Scope } from "effect"
import { chosenOf } from "../../../../../scripts/testing/Sample.ts"
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
  /** How much later than a request's end its last place can come; 15 seconds unless said. */
  readonly patience?: Duration.Input
  /** What is done to the chains meanwhile. */
  readonly under?: <A>(run: Effect.Effect<A>) => Effect.Effect<A>
}

/** The setting with which a host tells the places that it comes by. */
export const telling = { FAILPOINT: "?" }

/** The places that a host has told. */
export const toldBy = ({ output }: Pick<HostProcess, "output">): ReadonlyArray<string> =>
  [...output().matchAll(/^failpoint (.+)$/gm)].map(([, place = ""]) => place)

/** Of the places those that a run has time for; there is at least one. */
export const placesOf = (told: ReadonlyArray<string>, chosen: (place: string) => boolean): ReadonlyArray<string> => {
  const places = chosenOf(told.filter(chosen))
  assert.isAbove(places.length, 0, told.join(", "))
  return places
}

const untilReady = (url: string) =>
  Effect.repeat(Effect.promise(() => fetch(`${url}/ready`).then(({ status }) => status === 200, () => false)), {
    until: (yes) => yes,
    schedule: Schedule.spaced("20 millis")
  })

/** The places that a transfer of this kind comes by, told by a host that goes through it. */
const learn = <Begun>(
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
    return { begun, places: toldBy(host) }
  }))

/** Sees that the host was killed at its place. */
export const untilKilled = Effect.fnUntraced(function*(host: HostProcess, place: string) {
  const end = yield* host.ended.pipe(
    Effect.timeoutOrElse({ duration: "300 seconds", orElse: () => Effect.succeed("it was never hit" as const) })
  )
  assert.strictEqual(end, "SIGKILL", `${place}: ${host.output().slice(-2_000)}`)
  tally("kills", 1)
})

/** Acts as soon as a host is ready, and sees it killed at its place; the act may have no answer then. */
export const killedBy = Effect.fnUntraced(
  function*<A, E>(host: HostProcess, place: string, act: Effect.Effect<A, E>) {
    const acted = Effect.andThen(untilReady(host.url), act).pipe(Effect.catchCause(() => Effect.void))
    yield* Effect.raceFirst(acted, host.ended)
    yield* untilKilled(host, place)
  }
)

/** Not every transfer comes by every place: one that is final when it is first looked at takes no exposure. */
const TRIES = 4

/** Transfers are begun under a host that ends at the place, one after the other until it has. */
const injectCrash = <Begun>(
  { spawn, urlOf }: CrashTarget,
  { begin, ended, name, patience = "15 seconds", pay }: Journey<Begun>,
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
      // However slow the machine is, a place that the request comes by is reached by its end, or soon after.
      const past = one === undefined ? Effect.void : Effect.ignoreCause(Effect.timeout(ended(url, one), "180 seconds"))
      const end = yield* Effect.raceFirst(
        Effect.asSome(host.ended),
        Effect.as(Effect.andThen(past, Effect.sleep(patience)), Option.none())
      )
      if (Option.isSome(end)) {
        assert.strictEqual(end.value, "SIGKILL", `${name}, ${place}: ${host.output().slice(-2_000)}`)
        tally("kills", 1)
        return begun
      }
    }
    return assert.fail(`${name}, ${place}: ${TRIES} transfers did not come by it:\n${host.output().slice(-4_000)}`)
  }))

/**
 * Learns the places of a journey, and kills a host at each of those that are `chosen`; what was begun, and the places.
 * `from`: the index of the first transfer.
 */
export const injectCrashes = Effect.fnUntraced(
  function*<Begun>(
    target: CrashTarget,
    journey: Journey<Begun>,
    chosen: (told: ReadonlyArray<string>) => ReadonlyArray<string>,
    { asManyAsFit = false, from = 0 }: { readonly asManyAsFit?: boolean; readonly from?: number }
  ) {
    const { name, under = (run) => run } = journey
    const told = yield* under(learn(target, journey, from))
    const begun = [told.begun]
    const all = chosen(told.places)
    const places = asManyAsFit ? chosenOf(all) : all
    assert.isAbove(places.length, 0, `${name}: ${told.places.join(", ")}`)
    for (const place of places) {
      begun.push(...(yield* under(injectCrash(target, journey, place, from + begun.length))))
    }
    return { begun, told: told.places }
  }
)
