/** Kills a host at named places, one place after the other, over one store and one pair of chains. */
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { sendDeposit } from "../../testing/Client.ts"
import { ended } from "../../testing/Client.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import type { HostProcess } from "../../testing/HostProcess.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { addSponsors } from "../../testing/Sponsor.ts"
import { assertEachOnce, assertSponsoredOnce, begin, sponsor } from "./Flows.ts"
import type { Begun, Flow } from "./Flows.ts"

type Network = Effect.Success<typeof startNetwork>

const keyOf = ({ chains: { users } }: Network, index: number) => users[index % users.length] ?? "0x"

/** The last write of a deposit's way. */
const LAST = "Deposits.close:after"

/** The places that a transfer of this kind comes by, told by a host that goes through it. */
const placesOf = (network: Network, flow: Flow, index: number) =>
  Effect.scoped(Effect.gen(function*() {
    const host = yield* network.startHost({ FAILPOINT: "?" })
    const key = keyOf(network, index)
    const begun = yield* begin(host.url, network.chains, key, flow, index)
    yield* sendDeposit(network.chains.alpha, key, begun.quoted)
    yield* ended(host.url, begun.quoted)
    yield* Effect.repeat(Effect.sync(() => host.output().includes(LAST)), { until: (done) => done, schedule: Schedule.spaced("50 millis") }).pipe(
      Effect.timeoutOrElse({ duration: "20 seconds", orElse: () => Effect.die(new Error(`the deposit was never closed:\n${host.output()}`)) })
    )
    const places = [...host.output().matchAll(/^failpoint (.+)$/gm)].map(([, place = ""]) => place)
    return { begun, places }
  }))

/** A transfer is begun under a host that ends at the place; undefined when it ended before the quote was answered. */
const strike = (network: Network, flow: Flow, place: string, index: number): Effect.Effect<Begun | undefined> =>
  Effect.scoped(Effect.gen(function*() {
    const { chains, environment } = network
    const host: HostProcess = yield* spawnHost("transfer", { ...environment, FAILPOINT: place })
    const key = keyOf(network, index)
    const answers = Effect.promise(() => fetch(`${host.url}/ready`).then(({ status }) => status === 200, () => false))
    const up = Effect.repeat(answers, { until: (yes) => yes, schedule: Schedule.spaced("20 millis") })
    const asked = Effect.flatMap(up, () => begin(host.url, chains, key, flow, index)).pipe(Effect.catchCause(() => Effect.undefined))
    const begun = yield* Effect.raceFirst(asked, Effect.as(host.ended, undefined))
    if (begun !== undefined) yield* sendDeposit(chains.alpha, key, begun.quoted)
    const end = yield* host.ended.pipe(Effect.timeoutOrElse({ duration: "20 seconds", orElse: () => Effect.succeed("it was never hit" as const) }))
    assert.strictEqual(end, "SIGKILL", `${flow}, ${place}: ${host.output().slice(-2_000)}`)
    tally("kills", 1)
    return begun
  }))

/** Learns the places of the flows, strikes at those that are `chosen`, and looks at every transfer in the end. */
export const strikeAt = (flows: ReadonlyArray<Flow>, chosen: (place: string) => boolean) =>
  Effect.scoped(Effect.gen(function*() {
    const network = yield* startNetwork
    const store = network.environment["DATABASE_URL"] ?? ""
    yield* addSponsors(store, [sponsor])
    const begun: Array<Begun> = []
    for (const flow of flows) {
      const told = yield* placesOf(network, flow, begun.length)
      begun.push(told.begun)
      const places = told.places.filter(chosen)
      assert.isAbove(places.length, 0)
      for (const place of places) {
        const one = yield* strike(network, flow, place, begun.length)
        if (one !== undefined) begun.push(one)
      }
    }
    const from = performance.now()
    const { output, url } = yield* network.startHost()
    assert.isBelow(performance.now() - from, 3_000, "a restart takes longer than three seconds")
    yield* Effect.andThen(assertEachOnce(url, network.chains, begun, true), assertSponsoredOnce(url, store, begun)).pipe(Effect.tapCause(() => Effect.sync(() => process.stdout.write(output()))))
  }))
