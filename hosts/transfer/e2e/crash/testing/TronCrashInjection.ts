/** Kills a host at named places of transfers from and to Tron: one network, one store, one kind of transfer after the other. */
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { spawnHost } from "../../../testing/HostProcess.ts"
import { openDeposits } from "../../../testing/Misbehaving.ts"
import { addSponsors } from "../../../testing/Sponsor.ts"
import { isSentBy, namedBy } from "../../../testing/TronClient.ts"
import { startTronNetwork } from "../../../testing/TronNetwork.ts"
import { sponsor } from "./Scenarios.ts"
import { injectCrashes } from "./InjectCrash.ts"
import type { Journey } from "./InjectCrash.ts"
import {
  assertEachOnceOnTron,
  assertTronSponsored,
  beginTron,
  endedOnTron,
  holdingsOnTron,
  payTron
} from "./TronScenarios.ts"
import type { TronBegun, TronNetwork, TronScenario } from "./TronScenarios.ts"

/**
 * The first one crashes at all its places. The others only at their own places, and at places that no earlier one
 * passed. `expired` is last: it moves the chain's time ahead of ours.
 */
export const tronScenarios: ReadonlyArray<TronScenario> = [
  "arriving",
  "leaving",
  "returned",
  "returnedToken",
  "swept",
  "expired"
]

/**
 * Whether a place differs from those of earlier scenarios: the payment on Tron, or how a deposit there is seen and
 * becomes final. What a swept one broadcasts first is its sweep.
 */
const isOwn = (scenario: TronScenario, place: string): boolean => {
  if (scenario === "swept") return /sweep|excess|^Sweeps|^Treasury/.test(place)
  return (scenario === "leaving" ? /^(?:Deposits|FinalBlocks|Exposures)/ : /^(?:Payments|Treasury)/).test(place)
}

interface Options {
  readonly scenarios: ReadonlyArray<TronScenario>
  /** Of the chosen places only those that a long run has time for. */
  readonly asManyAsFit?: boolean
}

/** Longer than a payment can be executed, in milliseconds of the chain's time. */
const LIFETIME = 11 * 60_000

/**
 * Blocks come all the time. While `luck` is bad they come only when there is something for them: the first transaction
 * that pays an order waits until it has expired, and a solidified block is past that. The next one is taken.
 */
const mineFor = (network: TronNetwork, luck: { bad: boolean }) => {
  const { tron, tronSolver } = network
  const { chain } = tron
  const struck = new Set<string>()
  /** Whether a payment is in a block that is not solidified. */
  const isOpen = () =>
    [...chain.ledger.from(chain.ledger.solid.number + 1, chain.ledger.tip.number)].some(({ executed }) =>
      executed.some(({ transaction }) => isSentBy(tronSolver, transaction))
    )
  const next = Effect.suspend(() => {
    if (!luck.bad) return tron.mine(7)
    const waiting = chain.waiting().filter((each) => isSentBy(tronSolver, each))
    const first = waiting.find((each) => !struck.has(namedBy(each)))
    if (first === undefined) return waiting.length > 0 || isOpen() ? tron.mine(7) : Effect.void
    struck.add(namedBy(first))
    chain.wait(chain.ledger.tip.timestamp + LIFETIME)
    return Effect.promise(() => chain.mine(21))
  })
  return { mining: Effect.forever(Effect.delay(next, "200 millis")), count: () => struck.size }
}

const journeyOf = (network: TronNetwork, scenario: TronScenario): Journey<TronBegun> => ({
  name: scenario,
  begin: (url, index) => Effect.orDie(beginTron(url, network, scenario, index)),
  pay: (begun, index) => Effect.orDie(payTron(network, begun, index)),
  ended: endedOnTron,
  last: "Deposits.close:after",
  // The excess is paid once sweep and fill are final, after the request has ended.
  ...(scenario === "swept" ? { patience: "90 seconds" } : {})
})

/**
 * Learns the places of the scenarios, crashes at the `chosen` ones (without a choice at all of them), and checks every
 * transfer at the end.
 */
export const injectTronCrashesAt = (
  chosen: Partial<Readonly<Record<TronScenario, ReadonlyArray<string>>>>,
  { asManyAsFit = false, scenarios }: Options
) =>
  Effect.scoped(Effect.gen(function*() {
    const network = yield* startTronNetwork
    const { environment, store } = network
    yield* addSponsors(store, [sponsor])
    const before = yield* holdingsOnTron(network)
    const luck = { bad: false }
    const { count, mining } = mineFor(network, luck)
    yield* Effect.forkScoped(mining)
    const fixture = {
      spawn: (failpoint: string) => spawnHost("transfer", { ...environment, FAILPOINT: failpoint }),
      urlOf: ({ url }: { readonly url: string }) => url
    }
    const known = new Set<string>()
    const begun: Array<TronBegun> = []
    for (const [at, scenario] of scenarios.entries()) {
      luck.bad = scenario === "expired"
      const struck = yield* injectCrashes(
        fixture,
        journeyOf(network, scenario),
        (told) => chosen[scenario] ?? told.filter((place) => at === 0 || isOwn(scenario, place) || !known.has(place)),
        { asManyAsFit, from: begun.length }
      )
      begun.push(...struck.begun)
      for (const place of struck.told) known.add(place)
      // What is left of this kind comes to its end before the next: the next has places of its own.
      yield* Effect.scoped(Effect.gen(function*() {
        const host = yield* network.startHost()
        // A deposit that was not seen yet is not open, so first each request ends.
        yield* Effect.forEach(begun, (one) => endedOnTron(host.url, one), { discard: true }).pipe(
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
                assertEachOnceOnTron(host.url, network, begun, before),
                assertTronSponsored(host.url, store, begun)
              )
              : Effect.void
          ),
          Effect.tapCause(() => Effect.sync(() => process.stdout.write(host.output())))
        )
      }))
    }
    if (scenarios.includes("expired")) assert.isAbove(count(), 0)
  }))
