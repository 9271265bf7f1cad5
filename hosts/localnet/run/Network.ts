/**
 * From a folder in any state to running chains that agree with it.
 *
 * The kept network when it is complete, otherwise a fresh one. In that case the old state is set aside, and the reason
 * is printed.
 */
import { DateTime, Effect, Exit, Option, Scope } from "effect"
import { mkdirSync } from "node:fs"
import { privateKeyToAddress } from "viem/accounts"
import { write } from "./state/AtomicFile.ts"
import { attestedDied, startAttested } from "./services/AttestedChain.ts"
import type { AttestedChain, AttestedName } from "./services/AttestedChain.ts"
import type { AnvilError } from "../nodes/ethereum/Anvil.ts"
import type { BitcoinError } from "../nodes/bitcoin/BitcoinError.ts"
import type { SolanaError } from "../nodes/solana/SolanaError.ts"
import type { TronError } from "../nodes/tron/TronError.ts"
import type { SolanaProcess } from "../nodes/solana/SolanaProcess.ts"
import type { Chains } from "./Chains.ts"
import * as ChainsOf from "./Chains.ts"
import type { Parties } from "../nodes/ethereum/Deployment.ts"
import * as Sponsor from "../commands/demo/Sponsor.ts"
import { deploy, deployHub } from "../nodes/ethereum/Deployment.ts"
import * as Identity from "./state/Identity.ts"
import type { Keys } from "./state/Keys.ts"
import { generate } from "./state/Keys.ts"
import { LocalnetError, reasonOf } from "./LocalnetError.ts"
import type { Paths } from "./state/Paths.ts"
import type { Ports } from "./Ports.ts"
import type { Screen } from "../../cli/Screen.ts"
import { settlementSlug, slugs } from "./Slug.ts"
import * as Solana from "../nodes/solana/SolanaChain.ts"
import * as State from "./state/State.ts"

export interface Network {
  readonly chains: Chains
  readonly keys: Keys
  readonly parties: Parties
  readonly origin: "kept" | "fresh"
  /** Left out when the network runs without it. */
  readonly solana?: SolanaProcess | undefined
  /** The chains that only the oracle serves. */
  readonly attested: ReadonlyArray<AttestedChain>
}

export interface OpenOptions {
  /** Starts empty. The kept state is deleted. */
  readonly fresh: boolean
  /** Whether the Solana chain runs too. Default: no. */
  readonly solana?: boolean | undefined
  /** The chains only for the oracle that run too. Default: none. */
  readonly attested?: ReadonlyArray<AttestedName> | undefined
}

interface Beside {
  readonly solana: boolean
  readonly attested: ReadonlyArray<AttestedName>
}

export const partiesOf = (keys: Keys): Parties => ({
  solver: privateKeyToAddress(keys.solver),
  operator: privateKeyToAddress(keys.operator),
  allocator: privateKeyToAddress(keys.allocator),
  oracle: privateKeyToAddress(keys.oracle),
  accounts: keys.accounts.map((key) => privateKeyToAddress(key))
})

const heights = (ports: Ports) => slugs.map((slug) => `${slug} ${ports[slug]}`).join(", ")

/** Fails as soon as one of the chains has ended, and names it. */
export const died = (
  { attested, chains, solana }: Network
): Effect.Effect<never, AnvilError | SolanaError | BitcoinError | TronError> =>
  Effect.raceFirst(
    solana === undefined ? ChainsOf.died(chains) : Effect.raceFirst(ChainsOf.died(chains), solana.died),
    attestedDied(attested)
  )

/** The chains beside the EVM ones, from their state files or new. Those that were not requested are left out. */
const startBeside = (
  paths: Paths,
  ports: Ports,
  screen: Screen,
  { attested, solana }: Beside,
  network: { readonly identity: string; readonly keys: Keys }
) =>
  Effect.all({
    solana: solana
      ? screen.step("Solana chain", Solana.start(paths, ports, network.identity, network.keys), ({ port }) =>
        `port ${port}`)
      : Effect.undefined,
    attested: startAttested(attested, { paths, ports, keys: network.keys }, screen)
  }, { concurrency: "unbounded" })

/** The EVM chains of a fresh network, deployed and marked. */
const makeEvm = Effect.fnUntraced(function*(paths: Paths, ports: Ports, screen: Screen, keys: Keys, identity: string) {
  const parties = partiesOf(keys)
  const chains = yield* screen.step("three chains", ChainsOf.start(paths, ports), () => `ports ${heights(ports)}`)
  yield* screen.step(
    "contracts, tokens, funds",
    Effect.all([deploy(chains.alpha, parties), deploy(chains.beta, parties), deployHub(chains.hub, parties)], {
      concurrency: "unbounded",
      discard: true
    })
  )
  yield* Sponsor.payIn({ keys, settlement: chains[settlementSlug] })
  yield* Effect.forEach(slugs, (slug) => Identity.markChain(chains[slug], identity))
  return chains
})

const makeFresh = Effect.fnUntraced(function*(paths: Paths, ports: Ports, screen: Screen, wanted: Beside) {
  yield* Effect.try({
    try: () => mkdirSync(paths.state, { recursive: true, mode: 0o700 }),
    catch: (cause) => new LocalnetError({ message: `cannot make ${paths.state}: ${reasonOf(cause)}` })
  })
  const keys = yield* generate
  yield* write(paths.keys, `${JSON.stringify(keys, null, 2)}\n`)
  const identity = yield* Identity.generate
  const [chains, beside] = yield* Effect.all([
    makeEvm(paths, ports, screen, keys, identity),
    startBeside(paths, ports, screen, wanted, { identity, keys })
  ], { concurrency: "unbounded" })
  // Last, and the manifest after all others: an interrupted start leaves no complete state.
  yield* Identity.markStore(paths.database, identity)
  yield* ChainsOf.settle(chains)
  yield* Identity.writeManifest(paths.manifest, {
    identity,
    createdAt: DateTime.formatIso(yield* DateTime.now),
    solana: wanted.solana
  })
  return { chains, keys, parties: partiesOf(keys), origin: "fresh", ...beside } satisfies Network
})

/** The kept network, or the reason why it does not agree with itself. */
const resume = Effect.fnUntraced(
  function*(
    paths: Paths,
    ports: Ports,
    screen: Screen,
    found: Extract<State.SavedState, { _tag: "Whole" }>,
    wanted: Beside
  ) {
    const outer = yield* Effect.scope
    const scope = yield* Scope.fork(outer)
    const started = yield* Effect.result(Scope.provide(
      Effect.all([
        screen.step("three chains, kept", ChainsOf.start(paths, ports), () => `ports ${heights(ports)}`),
        startBeside(paths, ports, screen, wanted, found)
      ], { concurrency: "unbounded" }),
      scope
    ))
    if (started._tag === "Failure" && started.failure.kind !== "not-started") return yield* started.failure
    // It does not start from its file, so the file is damaged.
    const reason = started._tag === "Failure"
      ? Option.some(started.failure.message)
      : yield* State.disagreement(paths, found.identity, started.success[0])
    if (started._tag === "Failure" || Option.isSome(reason)) {
      yield* Scope.close(scope, Exit.void)
      return { _tag: "Refused", reason: Option.getOrElse(reason, () => "unknown") } as const
    }
    const [chains, beside] = started.success
    yield* ChainsOf.settle(chains)
    // The network had no Solana chain. Now it has one, and is complete only with it.
    if (wanted.solana && !found.solana) {
      yield* Identity.writeManifest(paths.manifest, {
        identity: found.identity,
        createdAt: found.createdAt,
        solana: true
      })
    }
    const network: Network = {
      chains,
      ...beside,
      keys: found.keys,
      parties: partiesOf(found.keys),
      origin: "kept"
    }
    return { _tag: "Resumed", network } as const
  }
)

/** Running chains with contracts, money and keys. They end with the scope. */
export const open = Effect.fn("Network.open")(
  function*(paths: Paths, ports: Ports, options: OpenOptions, screen: Screen) {
    const wanted: Beside = { solana: options.solana === true, attested: options.attested ?? [] }
    if (options.fresh) yield* State.discard(paths)
    const found = yield* State.inspect(paths)
    let reason = found._tag === "Broken" ? found.reason : undefined
    if (found._tag === "Whole") {
      const resumed = yield* resume(paths, ports, screen, found, wanted)
      if (resumed._tag === "Resumed") return resumed.network
      reason = resumed.reason
    }
    if (reason !== undefined) {
      const aside = yield* State.setAside(paths)
      yield* screen.line(`  The chains and the store of the last run do not agree: ${reason}.`)
      yield* screen.line(`  They are kept in ${aside}; starting fresh.`)
    }
    return yield* makeFresh(paths, ports, screen, wanted)
  }
)
