/** Kills a host at named places, one place after the other, over one store and one pair of chains. */
import { Effect, Redacted, Schedule } from "effect"
import type { Scope } from "effect"
import * as PostgresServer from "../../../../../adapters/storage/testing/PostgresServer.ts"
import { anyFree } from "../../../../localnet/nodes/Port.ts"
import { ended } from "../../../testing/Client.ts"
import { spawnHost } from "../../../testing/HostProcess.ts"
import type { HostProcess } from "../../../testing/HostProcess.ts"
import { startSettling } from "../../../testing/SettlingNetwork.ts"
import { hostsOver, startNetwork } from "../../../testing/TransferNetwork.ts"
import { mineAt, pooled } from "../../../testing/FeePressure.ts"
import { holdMining, resumeMining } from "../../../testing/Misbehaving.ts"
import { addSponsors } from "../../../testing/Sponsor.ts"
import {
  assertEachOnce,
  assertSettledOnce,
  assertSponsoredOnce,
  begin,
  isVaultScenario,
  pay,
  sponsor
} from "./Scenarios.ts"
import type { Begun, Scenario } from "./Scenarios.ts"
import { flagFirst } from "./FlagFirst.ts"
import { injectCrashes } from "./InjectCrash.ts"
import type { Journey, CrashTarget } from "./InjectCrash.ts"

/** All scenarios. A replaced payment is among them, which takes some time. */
export const allScenarios: ReadonlyArray<Scenario> = [
  "fill",
  "refund",
  "sponsored",
  "replaced",
  "address",
  "excess",
  "settled",
  "reverted",
  "swapped",
  "topped",
  "fallback"
]

type Network = Effect.Success<typeof startNetwork>

/** Scenarios that settle have a hub, an oracle, and facts about the hub to check at the end. */
interface StruckNetwork extends Network {
  readonly executions: Effect.Effect<ReadonlyArray<string>> | undefined
}

const startOf = (
  scenario: Scenario
): Effect.Effect<StruckNetwork, Effect.Error<ReturnType<typeof startSettling>>, Scope.Scope> =>
  scenario === "settled"
    ? Effect.map(startSettling(1, 1), ({ environment, executions, settling, ...network }) => ({
      ...network,
      executions,
      environment: { ...environment, ...settling },
      startHost: (changes: Readonly<Record<string, string>> = {}) => network.startHost({ ...settling, ...changes }),
      startInstance: (changes: Readonly<Record<string, string>> = {}) =>
        network.startInstance({ ...settling, ...changes })
    }))
    : Effect.gen(function*() {
      const network = yield* startNetwork
      if (scenario !== "reverted") return { ...network, executions: undefined }
      const { beta, users } = network.chains
      const { url } = yield* flagFirst(beta, users.at(-1) ?? "0x")
      const environment = { ...network.environment, BETA_RPC_URL: url }
      return { ...network, environment, ...hostsOver(environment), executions: undefined }
    })

const keyOf = ({ chains: { users } }: Network, index: number) => users[index % users.length] ?? "0x"

/** While this runs, the destination's blocks demand more than a signed payment offers, so it has to be replaced. */
const pricedOut = <A, E, R>({ chains: { beta, solver } }: Network, run: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.gen(function*() {
    yield* Effect.acquireRelease(holdMining(beta), () => Effect.orDie(resumeMining(beta)))
    // Mines earlier pending transactions, so that the next payment is signed for a low fee.
    for (let block = 0; block < 2; block += 1) yield* mineAt(beta, 1_000n)
    let asked: bigint | undefined
    const block = Effect.gen(function*() {
      const [first] = yield* pooled(beta, solver)
      asked ??= first === undefined ? undefined : first.maxFeePerGas + 1n
      yield* asked === undefined ? beta.mine() : mineAt(beta, asked)
    })
    yield* Effect.forkScoped(Effect.repeat(block, Schedule.spaced("300 millis")))
    return yield* run
  }))

const under = <A>(network: Network, scenario: Scenario, run: Effect.Effect<A>): Effect.Effect<A> =>
  scenario === "replaced" ? Effect.orDie(pricedOut(network, run)) : run

/** The last write for a deposit. */
const lastOf = (scenario: Scenario): string => scenario === "settled" ? "Settlements.end:after" : "Deposits.close:after"

interface Fixture extends CrashTarget {
  readonly network: StruckNetwork
  /** A host that is running at the end. */
  readonly settled: Effect.Effect<Pick<HostProcess, "output" | "url">, never, Scope.Scope>
  /** The store's URL. */
  readonly store: string
}

/** One process for everything, on SQLite. */
const alone = (scenario: Scenario, root: string | undefined) =>
  Effect.map(startOf(scenario), (network): Fixture => ({
    network,
    spawn: (failpoint) => spawnHost("transfer", { ...network.environment, FAILPOINT: failpoint }, root),
    urlOf: ({ url }) => url,
    settled: network.startInstance(),
    store: network.environment["DATABASE_URL"] ?? ""
  }))

/** Only the worker crashes, over PostgreSQL. The API keeps running. */
const apart = (scenario: Scenario, programs: PostgresServer.PostgresPrograms) =>
  Effect.gen(function*() {
    const network = yield* startOf(scenario)
    const server = yield* PostgresServer.start(programs)
    const store = Redacted.value(yield* Effect.orDie(server.createDatabase))
    const api = yield* network.startHost({ DATABASE_URL: store })
    const environment = { ...network.environment, DATABASE_URL: store, RUNNER_PORT: `${yield* anyFree}` }
    return {
      network,
      spawn: (failpoint) => spawnHost("worker", { ...environment, FAILPOINT: failpoint }),
      urlOf: () => api.url,
      settled: Effect.map(spawnHost("worker", environment), ({ output }) => ({ output, url: api.url })),
      store
    } satisfies Fixture
  }).pipe(Effect.orDie)

/** Transfers of this kind, each of another user as far as there are enough. */
const journeyOf = (network: StruckNetwork, scenario: Scenario): Journey<Begun> => ({
  name: scenario,
  begin: (url, index) => Effect.orDie(begin(url, network.chains, keyOf(network, index), scenario, index)),
  pay: (begun, index) => Effect.orDie(pay(network.chains, keyOf(network, index), begun)),
  ended: (url, { quoted }) => ended(url, quoted),
  last: lastOf(scenario),
  under: (run) => under(network, scenario, run)
})

export interface CrashOptions {
  readonly scenarios?: ReadonlyArray<Scenario>
  /**
   * The folder of the program that crashes, which may be an earlier version. This version always completes the
   * transfers.
   */
  readonly root?: string
  /** When given, a worker over PostgreSQL crashes, and the API does not. */
  readonly postgres?: PostgresServer.PostgresPrograms
  /** Of the chosen places only those that a long run has time for. */
  readonly asManyAsFit?: boolean
}

/** A scenario has its own chains and store: leftovers of another would pass places that are not its own. */
const strikeAtFlow = (
  scenario: Scenario,
  chosen: (place: string) => boolean,
  { asManyAsFit = false, postgres, root }: CrashOptions
) =>
  Effect.scoped(Effect.gen(function*() {
    const fixture = yield* postgres === undefined ? alone(scenario, root) : apart(scenario, postgres)
    const { network, settled, store } = fixture
    // Only then: an earlier program's store must stay as that program knows it.
    if (scenario === "sponsored") yield* addSponsors(store, [sponsor])
    const { begun, told } = yield* injectCrashes(
      fixture,
      journeyOf(network, scenario),
      (places) => places.filter(chosen),
      { asManyAsFit }
    )
    const { output, url } = yield* settled
    const looked = Effect.andThen(
      assertEachOnce(url, network.chains, begun, true),
      assertSponsoredOnce(url, store, begun)
    )
    yield* looked.pipe(Effect.tapCause(() => Effect.sync(() => process.stdout.write(output()))))
    if (network.executions !== undefined) yield* assertSettledOnce(network.executions, begun)
    return told
  }))

/** Learns the places of the scenarios, crashes at the `chosen` ones, and checks every transfer at the end. */
export const injectCrashesAt = (chosen: (place: string, scenario: Scenario) => boolean, options: CrashOptions = {}) =>
  Effect.gen(function*() {
    const known = new Set<string>()
    // Of these only the places that no other scenario passes: a replaced payment takes some seconds each time.
    const seldom: ReadonlySet<Scenario> = new Set<Scenario>([
      "replaced",
      "address",
      "excess",
      "settled",
      "reverted",
      ...(options.postgres === undefined ? [] : ["sponsored" as const])
    ])
    for (const scenario of options.scenarios ?? ["fill", "refund"] as const) {
      // The vault's payments differ from others only in how they are signed and sent.
      const isOwn = (place: string) =>
        isVaultScenario(scenario) ? /^(?:Payments|Treasury)/.test(place) : !(seldom.has(scenario) && known.has(place))
      const places = yield* strikeAtFlow(scenario, (place) => chosen(place, scenario) && isOwn(place), options)
      for (const place of places) known.add(place)
    }
  })
