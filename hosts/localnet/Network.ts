/**
 * From a folder in whatever state to three running chains that agree with it.
 *
 * The kept network when it is whole, else a fresh one; what was there is then
 * set aside, and the person is told why.
 */
import { DateTime, Effect, Exit, Option, Scope } from "effect"
import { mkdirSync } from "node:fs"
import { privateKeyToAddress } from "viem/accounts"
import { write } from "./AtomicFile.ts"
import type { Chains } from "./Chains.ts"
import * as ChainsOf from "./Chains.ts"
import type { Parties } from "./Deployment.ts"
import * as Sponsor from "./demo/Sponsor.ts"
import { deploy, deployHub } from "./Deployment.ts"
import * as Identity from "./Identity.ts"
import type { Keys } from "./Keys.ts"
import { generate } from "./Keys.ts"
import { LocalnetError, reasonOf } from "./LocalnetError.ts"
import type { Paths } from "./Paths.ts"
import type { Ports } from "./Ports.ts"
import type { Screen } from "./Screen.ts"
import { settlementSlug, slugs } from "./Slug.ts"
import * as State from "./State.ts"

export interface Network {
  readonly chains: Chains
  readonly keys: Keys
  readonly parties: Parties
  readonly origin: "kept" | "fresh"
}

export const partiesOf = (keys: Keys): Parties => ({
  solver: privateKeyToAddress(keys.solver),
  operator: privateKeyToAddress(keys.operator),
  allocator: privateKeyToAddress(keys.allocator),
  oracle: privateKeyToAddress(keys.oracle),
  accounts: keys.accounts.map((key) => privateKeyToAddress(key))
})

const heights = (ports: Ports) => slugs.map((slug) => `${slug} ${ports[slug]}`).join(", ")

const makeFresh = Effect.fnUntraced(function*(paths: Paths, ports: Ports, screen: Screen) {
  yield* Effect.try({
    try: () => mkdirSync(paths.state, { recursive: true, mode: 0o700 }),
    catch: (cause) => new LocalnetError({ message: `cannot make ${paths.state}: ${reasonOf(cause)}` })
  })
  const keys = yield* generate
  const parties = partiesOf(keys)
  yield* write(paths.keys, `${JSON.stringify(keys, null, 2)}\n`)
  const chains = yield* screen.step("three chains", ChainsOf.start(paths, ports), () => `ports ${heights(ports)}`)
  yield* screen.step(
    "contracts, tokens, funds",
    Effect.all([deploy(chains.alpha, parties), deploy(chains.beta, parties), deployHub(chains.hub, parties)], {
      concurrency: "unbounded",
      discard: true
    })
  )
  yield* Sponsor.payIn({ keys, settlement: chains[settlementSlug] })
  // Last, and the manifest after all others: a start that is cut short leaves no whole state.
  const identity = yield* Identity.generate
  yield* Effect.forEach(slugs, (slug) => Identity.markChain(chains[slug], identity))
  yield* Identity.markStore(paths.database, identity)
  yield* ChainsOf.settle(chains)
  yield* Identity.writeManifest(paths.manifest, identity, DateTime.formatIso(yield* DateTime.now))
  return { chains, keys, parties, origin: "fresh" } satisfies Network
})

/** The kept network; the reason why not, when it does not agree with itself. */
const resume = Effect.fnUntraced(
  function*(paths: Paths, ports: Ports, screen: Screen, found: Extract<State.Found, { _tag: "Whole" }>) {
    const outer = yield* Effect.scope
    const scope = yield* Scope.fork(outer)
    const started = yield* Effect.result(
      Scope.provide(screen.step("three chains, kept", ChainsOf.start(paths, ports), () => `ports ${heights(ports)}`), scope)
    )
    if (started._tag === "Failure" && started.failure.kind !== "not-started") return yield* started.failure
    // It does not start from its file: the file is damaged.
    const reason = started._tag === "Failure"
      ? Option.some(started.failure.message)
      : yield* State.disagreement(paths, found.identity, started.success)
    if (started._tag === "Failure" || Option.isSome(reason)) {
      yield* Scope.close(scope, Exit.void)
      return { _tag: "Refused", reason: Option.getOrElse(reason, () => "unknown") } as const
    }
    yield* ChainsOf.settle(started.success)
    const network: Network = {
      chains: started.success,
      keys: found.keys,
      parties: partiesOf(found.keys),
      origin: "kept"
    }
    return { _tag: "Resumed", network } as const
  }
)

/** Three running chains with contracts, money and keys; they end with the scope. */
export const open = Effect.fn("Network.open")(
  function*(paths: Paths, ports: Ports, options: { readonly fresh: boolean }, screen: Screen) {
    if (options.fresh) yield* State.discard(paths)
    const found = yield* State.inspect(paths)
    let reason = found._tag === "Broken" ? found.reason : undefined
    if (found._tag === "Whole") {
      const resumed = yield* resume(paths, ports, screen, found)
      if (resumed._tag === "Resumed") return resumed.network
      reason = resumed.reason
    }
    if (reason !== undefined) {
      const aside = yield* State.setAside(paths)
      yield* screen.line(`  The chains and the store of the last run do not agree: ${reason}.`)
      yield* screen.line(`  They are kept in ${aside}; starting fresh.`)
    }
    return yield* makeFresh(paths, ports, screen)
  }
)
