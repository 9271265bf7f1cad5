/** Kills at random moments while deposits keep coming, and looks at every transfer in the end. */
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
  /** An address at which quotes are answered while nothing is being killed. */
  readonly ask: Effect.Effect<string, never, Scope.Scope>
  /** Starts what is killed: which of them says the number of the kill. */
  readonly spawn: (kill: number) => Effect.Effect<HostProcess, never, Scope.Scope>
  /** The address of a host that is up, when everything is over. */
  readonly settled: Effect.Effect<string, never, Scope.Scope>
}

/** What every host says as soon as it works. */
const UP = " is up"

/** Every fifth moment falls before the process is up, the others into its work. */
const untilKilled = Effect.fnUntraced(function*(host: HostProcess, kill: number) {
  if (kill % 5 === 0) return yield* Effect.sleep(yield* Random.nextIntBetween(50, 600))
  yield* Effect.repeat(Effect.sync(() => host.output().includes(UP)), {
    until: (up) => up,
    schedule: Schedule.spaced("10 millis")
  })
  yield* Effect.sleep(yield* Random.nextIntBetween(0, 700))
})

const keyOf = ({ users }: TestChains, index: number) => users[index % users.length] ?? "0x"

/** Transfers of which every third one is to go back; the first has the index `from`. */
const beginAll = (url: string, chains: TestChains, from: number, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, each) => from + each),
    (index) => begin(url, chains, keyOf(chains, index), index % 3 === 2 ? "refund" : "fill", index)
  )

/** Asked for together, soon enough before their deposits that none comes after its order's deadline. */
const BATCH = 25

/** As many kills as transfers: while a process is started and killed, another deposit comes. */
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
    // Those that came last found their quotes grown old, and were priced anew.
    yield* assertEachOnce(yield* fixture.settled, chains, begun, false)
  }))
