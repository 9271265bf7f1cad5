/** Kills at random moments while deposits keep coming, and looks at every transfer in the end. */
import { Effect, Fiber, Random } from "effect"
import type { Scope } from "effect"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { sendDeposit } from "../../testing/Client.ts"
import type { HostProcess } from "../../testing/HostProcess.ts"
import type { TestChains } from "../../testing/TestChains.ts"
import { assertEachOnce, begin } from "./Flows.ts"

export interface Stage {
  readonly chains: TestChains
  /** An address at which quotes are answered before the first kill. */
  readonly ask: Effect.Effect<string, never, Scope.Scope>
  /** Starts what is killed: which of them says the number of the kill. */
  readonly spawn: (kill: number) => Effect.Effect<HostProcess, never, Scope.Scope>
  /** The address of a host that is up, when everything is over. */
  readonly settled: Effect.Effect<string, never, Scope.Scope>
}

/** From a process's start: some moments fall before it is up, most into its work. */
const LIFE_MS = { minimum: 50, maximum: 1_300 }

/** Every third transfer is one that goes back. */
const beginAll = Effect.fnUntraced(function*(url: string, chains: TestChains, count: number) {
  const indices = Array.from({ length: count }, (_, index) => index)
  return yield* Effect.forEach(indices, (index) =>
    begin(url, chains, chains.users[index % chains.users.length] ?? "0x", index % 3 === 2 ? "refund" : "fill", index))
})

export const killUnderLoad = (stage: Stage, { kills, transfers }: { readonly kills: number; readonly transfers: number }) =>
  Effect.scoped(Effect.gen(function*() {
    const { chains } = stage
    const begun = yield* Effect.scoped(Effect.flatMap(stage.ask, (url) => beginAll(url, chains, transfers)))
    const deposits = yield* Effect.forkScoped(Effect.forEach(begun, ({ quoted }, index) =>
      Effect.andThen(sendDeposit(chains.alpha, chains.users[index % chains.users.length] ?? "0x", quoted), Effect.sleep("300 millis")), { discard: true }))
    for (let kill = 0; kill < kills; kill += 1) {
      yield* Effect.scoped(Effect.gen(function*() {
        const host = yield* stage.spawn(kill)
        yield* Effect.sleep(yield* Random.nextIntBetween(LIFE_MS.minimum, LIFE_MS.maximum))
        yield* host.kill("SIGKILL")
        tally("kills", 1)
      }))
    }
    yield* Fiber.join(deposits)
    // Those that came last found their quotes grown old, and were priced anew.
    yield* assertEachOnce(yield* stage.settled, chains, begun, false)
  }))
