/** Kills processes at random moments while deposits keep coming, and checks every transfer at the end. */
import { Effect, Fiber, Random, Schedule } from "effect"
import type { Scope } from "effect"
import { tally } from "../../../../../scripts/testing/Tally.ts"
import { sendDeposit } from "../../../testing/Client.ts"
import type { HostProcess } from "../../../testing/HostProcess.ts"
import type { TestChains } from "../../../testing/TestChains.ts"
import { assertEachOnce, begin } from "./Scenarios.ts"
import type { Begun } from "./Scenarios.ts"

export interface Fixture {
  readonly chains: TestChains
  /** A URL that answers quotes while no process is being killed. */
  readonly ask: Effect.Effect<string, never, Scope.Scope>
  /** Starts the process to kill. The number of the kill decides which one. */
  readonly spawn: (kill: number) => Effect.Effect<HostProcess, never, Scope.Scope>
  /** The URL of a host that is running at the end. */
  readonly settled: Effect.Effect<string, never, Scope.Scope>
}

/** Every host prints this as soon as it works. */
const UP = " is up"

/** Every fifth kill comes before the process is up, the others during its work. */
const untilKilled = Effect.fnUntraced(function*(host: HostProcess, kill: number) {
  if (kill % 5 === 0) return yield* Effect.sleep(yield* Random.nextIntBetween(50, 600))
  yield* Effect.repeat(Effect.sync(() => host.output().includes(UP)), {
    until: (up) => up,
    schedule: Schedule.spaced("10 millis")
  })
  yield* Effect.sleep(yield* Random.nextIntBetween(0, 700))
})

const keyOf = ({ users }: TestChains, index: number) => users[index % users.length] ?? "0x"

/** Transfers of which every third is to be refunded. The first has the index `from`. */
const beginAll = (url: string, chains: TestChains, from: number, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, each) => from + each),
    (index) => begin(url, chains, keyOf(chains, index), index % 3 === 2 ? "refund" : "fill", index)
  )

/** Requested together, early enough that none of their deposits comes after its order's deadline. */
const BATCH = 25

/** As many kills as transfers: another deposit comes while a process is started and killed. */
export const killUnderLoad = (fixture: Fixture, { kills }: { readonly kills: number }) =>
  Effect.scoped(Effect.gen(function*() {
    const { chains } = fixture
    const begun: Array<Begun> = []
    for (let kill = 0; kill < kills; kill += 1) {
      if (kill % BATCH === 0) {
        const count = Math.min(BATCH, kills - kill)
        begun.push(...yield* Effect.scoped(Effect.flatMap(fixture.ask, (url) => beginAll(url, chains, kill, count))))
      }
      const deposit = yield* Effect.forkScoped(
        Effect.forEach(
          begun.slice(kill, kill + 1),
          ({ quoted }) => sendDeposit(chains.alpha, keyOf(chains, kill), quoted)
        )
      )
      yield* Effect.scoped(Effect.gen(function*() {
        const host = yield* fixture.spawn(kill)
        yield* untilKilled(host, kill)
        yield* host.kill("SIGKILL")
        tally("kills", 1)
      }))
      yield* Fiber.join(deposit)
    }
    // The last ones' quotes were stale, so they got a new price.
    yield* assertEachOnce(yield* fixture.settled, chains, begun, false)
  }))
