/** Kills a host at named places, one place after the other, over one store and one pair of chains. */
import { Effect, Fiber, Redacted, Schedule } from "effect"
import type { Scope } from "effect"
import * as PostgresServer from "../../../../../adapters/storage/testing/PostgresServer.ts"
import { anyFree } from "../../../../localnet/nodes/Port.ts"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { ended, sendCall } from "../../../testing/Client.ts"
import { spawnHost } from "../../../testing/HostProcess.ts"
import type { HostProcess } from "../../../testing/HostProcess.ts"
import { startSettling } from "../../../testing/SettlingNetwork.ts"
import { startNetwork } from "../../../testing/TransferNetwork.ts"
import { mineAt, pooled } from "../../../testing/FeePressure.ts"
import { eventually, holdMining, resumeMining } from "../../../testing/Misbehaving.ts"
import { first, FLAGGED, OFF, ON } from "../../../testing/RevertingCalls.ts"
import { addSponsors } from "../../../testing/Sponsor.ts"
import {
  assertEachOnce,
  assertSettledOnce,
  assertSponsoredOnce,
  begin,
  CALLED,
  isVaultScenario,
  pay,
  sponsor
} from "./Scenarios.ts"
import type { Begun, Scenario } from "./Scenarios.ts"
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
    : Effect.map(startNetwork, (network) => ({ ...network, executions: undefined }))

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

/** Before each fill, in its block, a stranger makes the called contract burn all its gas. */
const frontRun = <A, E, R>({ chains: { beta, solver, users } }: Network, run: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.gen(function*() {
    const stranger = users.at(-1) ?? "0x"
    yield* beta.setCode(CALLED, FLAGGED)
    yield* Effect.acquireRelease(holdMining(beta), () => Effect.orDie(resumeMining(beta)))
    const flag = Effect.fnUntraced(function*(data: Hex) {
      const setting = yield* Effect.forkChild(sendCall(beta, stranger, { to: CALLED, data, ...first }))
      yield* eventually(
        "the stranger waits",
        pooled(beta, privateKeyToAccount(stranger).address),
        (waiting) => waiting.length > 0
      )
      yield* beta.mine(1)
      yield* Fiber.join(setting)
    })
    const block = Effect.gen(function*() {
      const [fill] = yield* pooled(beta, solver)
      if (fill === undefined) return yield* beta.mine(1)
      yield* flag(ON)
      yield* flag(OFF)
    })
    yield* Effect.forkScoped(Effect.repeat(block, Schedule.spaced("200 millis")))
    return yield* run
  }))

const under = <A>(network: Network, scenario: Scenario, run: Effect.Effect<A>): Effect.Effect<A> => {
  if (scenario === "replaced") return Effect.orDie(pricedOut(network, run))
  return scenario === "reverted" ? Effect.orDie(frontRun(network, run)) : run
}

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
    // The last host may have been killed before its fill was signed: the stranger continues until that fill has
    // reverted too.
    yield* (scenario === "reverted" ? frontRun(network, looked) : looked).pipe(
      Effect.tapCause(() => Effect.sync(() => process.stdout.write(output())))
    )
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
