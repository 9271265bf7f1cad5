/**
 * Kills a host at named places of transfers from and to Solana: one network, one store, one kind of transfer after the
 * other.
 */
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import { spawnHost } from "../../../testing/HostProcess.ts"
import { openDeposits } from "../../../testing/Misbehaving.ts"
import { startSolanaNetwork } from "../../../testing/SolanaNetwork.ts"
import { addSponsors } from "../../../testing/Sponsor.ts"
import { sponsor } from "./Scenarios.ts"
import {
  assertEachOnceOnSolana,
  assertSolanaSponsored,
  beginSolana,
  endedOnSolana,
  holdingsOf,
  paySolana
} from "./SolanaScenarios.ts"
import type { SolanaBegun, SolanaScenario, SolanaNetwork } from "./SolanaScenarios.ts"
import { injectCrashes } from "./InjectCrash.ts"
import type { Journey } from "./InjectCrash.ts"
import { unluckyNode } from "./Unlucky.ts"

/**
 * The first one crashes at all its places. The others only at their own places, and at places that no earlier one
 * passed.
 */
export const solanaScenarios: ReadonlyArray<SolanaScenario> = ["arriving", "leaving", "returned", "expired"]

/**
 * Whether a place differs from those of earlier scenarios: the payment on Solana, or how a deposit there is seen and
 * becomes final.
 */
const isOwn = (scenario: SolanaScenario, place: string): boolean =>
  (scenario === "leaving" ? /^(?:Deposits|FinalBlocks|Exposures)/ : /^(?:Payments|Treasury)/).test(place)

interface Options {
  readonly scenarios: ReadonlyArray<SolanaScenario>
  /** Of the chosen places only those that a long run has time for. */
  readonly asManyAsFit?: boolean
}

const journeyOf = (
  network: SolanaNetwork,
  scenario: SolanaScenario,
  paying: { now: boolean },
  strike: Effect.Effect<void, never, Scope.Scope>
): Journey<SolanaBegun> => ({
  name: scenario,
  begin: (url, index) => Effect.orDie(beginSolana(url, network, scenario, index)),
  pay: (begun, index) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        paying.now = true
      }),
      () => Effect.orDie(paySolana(network, begun, index)),
      () =>
        Effect.sync(() => {
          paying.now = false
        })
    ),
  ended: endedOnSolana,
  last: "Deposits.close:after",
  under: (run) => scenario === "expired" ? Effect.scoped(Effect.andThen(strike, run)) : run
})

/**
 * Learns the places of the scenarios, crashes at the `chosen` ones (without a choice at all of them), and checks every
 * transfer at the end.
 */
export const injectSolanaCrashesAt = (
  chosen: Partial<Readonly<Record<SolanaScenario, ReadonlyArray<string>>>>,
  { asManyAsFit = false, scenarios }: Options
) =>
  Effect.scoped(Effect.gen(function*() {
    const network = yield* startSolanaNetwork()
    const store = network.environment["DATABASE_URL"] ?? ""
    yield* addSponsors(store, [sponsor])
    const before = yield* holdingsOf(network)
    const paying = { now: false }
    const unlucky = yield* unluckyNode(network.solana, () => paying.now)
    const environment = { ...network.environment, SOLANA_RPC_URL: unlucky.url }
    const fixture = {
      spawn: (failpoint: string) => spawnHost("transfer", { ...environment, FAILPOINT: failpoint }),
      urlOf: ({ url }: { readonly url: string }) => url
    }
    const known = new Set<string>()
    const begun: Array<SolanaBegun> = []
    for (const [at, scenario] of scenarios.entries()) {
      const struck = yield* injectCrashes(
        fixture,
        journeyOf(network, scenario, paying, unlucky.strike),
        (told) => chosen[scenario] ?? told.filter((place) => at === 0 || isOwn(scenario, place) || !known.has(place)),
        { asManyAsFit, from: begun.length }
      )
      begun.push(...struck.begun)
      for (const place of struck.told) known.add(place)
      // What is left of this kind comes to its end before the next: the next has places of its own.
      yield* Effect.scoped(Effect.gen(function*() {
        const host = yield* network.startHost()
        const show = Effect.sync(() => process.stdout.write(host.output()))
        // A deposit that was not seen yet is not open, so first each request ends.
        yield* Effect.forEach(begun, (one) => endedOnSolana(host.url, one), { discard: true }).pipe(
          Effect.andThen(
            Effect.repeat(openDeposits(environment), {
              until: (open) => open === 0,
              schedule: Schedule.spaced("100 millis")
            })
          ),
          Effect.timeoutOrElse({
            duration: "180 seconds",
            orElse: () => Effect.die(new Error(`${scenario}: deposits are open still`))
          }),
          Effect.andThen(
            at === scenarios.length - 1
              ? Effect.andThen(
                assertEachOnceOnSolana(host.url, network, begun, before),
                assertSolanaSponsored(host.url, store, begun)
              )
              : Effect.void
          ),
          Effect.tapCause(() => show)
        )
      }))
    }
    if (scenarios.includes("expired")) assert.isAbove(unlucky.count(), 0)
  }))
