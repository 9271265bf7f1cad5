/**
 * The fixture of the suites that go through a host: a network, what its store has before a host owns it, and a host in
 * front of it. A suite adds what only it needs: `Effect.map` over the fixture, or `Effect.tap` over the network.
 */
import { Effect } from "effect"
import { nativeRequest, quote } from "./Client.ts"
import { addKeys } from "./Keys.ts"
import { addSponsors } from "./Sponsor.ts"
import type { TestSponsor } from "./Sponsor.ts"
import type { TestCurrency } from "./Tokens.ts"
import type { Network } from "./TransferNetwork.ts"

type Settings = Readonly<Record<string, string>>

export interface FixtureOptions<N> {
  /** API keys that the store has; each text is its id, too. */
  readonly keys?: ReadonlyArray<string>
  readonly sponsors?: ReadonlyArray<TestSponsor>
  /** Added to the environment of the host. */
  readonly settings?: Settings | ((network: N) => Settings)
}

/** The network, with what its store has, and the host's settings. */
const prepared = Effect.fnUntraced(
  function*<N extends Network, E, R>(
    start: Effect.Effect<N, E, R>,
    { keys = [], settings = {}, sponsors = [] }: FixtureOptions<N>
  ) {
    const network = yield* start
    if (keys.length > 0) yield* Effect.orDie(addKeys(network.store, keys))
    if (sponsors.length > 0) yield* addSponsors(network.store, sponsors)
    return { network, settings: typeof settings === "function" ? settings(network) : settings }
  }
)

/** Starts a host that is ready, within the test's process, over the network that `start` starts. */
export const startFixture = Effect.fnUntraced(
  function*<N extends Network, E, R>(start: Effect.Effect<N, E, R>, options: FixtureOptions<N> = {}) {
    const { network, settings } = yield* prepared(start, options)
    const host = yield* network.startInstance(settings)
    return { ...network, host, url: host.url }
  }
)

/** The same with a host of its own process, for a suite that kills it. */
export const startKillable = Effect.fnUntraced(
  function*<N extends Network, E, R>(start: Effect.Effect<N, E, R>, options: FixtureOptions<N> = {}) {
    const { network, settings } = yield* prepared(start, options)
    const host = yield* network.startHost(settings)
    return { ...network, host, url: host.url }
  }
)

/** A quote for a native transfer of a user from alpha to beta; `amount` in wei, and what a test changes. */
export const quoteNative = (
  { chains: { alpha, beta }, url, user }: Pick<Network, "chains" | "user"> & { readonly url: string },
  index: number,
  amount: bigint,
  changes: object = {}
) => quote(url, nativeRequest(user(index), alpha, beta, amount, changes))

/**
 * The body of a user's transfer from alpha to beta: some dollars of one currency for another, and what a test changes.
 */
export const requestOf = (
  { chains: { alpha, beta }, user }: Pick<Network, "chains" | "user">,
  index: number,
  [from, to]: readonly [from: TestCurrency, to: TestCurrency],
  changes: object = {}
) => ({
  user: user(index),
  originChainId: alpha.chainId,
  destinationChainId: beta.chainId,
  originCurrency: from.address,
  destinationCurrency: to.address,
  amount: `${from.some}`,
  tradeType: "EXACT_INPUT",
  ...changes
})
