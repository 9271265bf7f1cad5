/**
 * Kills a host at named places of transfers from and to Solana: one network, one store, one kind of transfer after the
 * other.
 */
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { chosenOf } from "../../../../../scripts/testing/Sample.ts"
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
import { crashpointsOf, injectCrash } from "./InjectCrash.ts"
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
  paying: { now: boolean }
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
  last: "Deposits.close:after"
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
      const journey = journeyOf(network, scenario, paying)
      const under = <A, E, R>(run: Effect.Effect<A, E, R>) =>
        scenario === "expired" ? Effect.scoped(Effect.andThen(unlucky.strike, run)) : run
      const told = yield* under(crashpointsOf(fixture, journey, begun.length))
      begun.push(told.begun)
      const all = chosen[scenario] ??
        told.places.filter((place) => at === 0 || isOwn(scenario, place) || !known.has(place))
      for (const place of told.places) known.add(place)
      const places = asManyAsFit ? chosenOf(all) : all
      assert.isAbove(places.length, 0, `${scenario}: ${told.places.join(", ")}`)
      for (const place of places) begun.push(...(yield* under(injectCrash(fixture, journey, place, begun.length))))
      // The rest of this kind ends before the next begins, because the next has its own places.
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
