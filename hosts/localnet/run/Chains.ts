/** The chains of one run: started together, each from its own state file. */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { AnvilError } from "../nodes/ethereum/Anvil.ts"
import { Anvil } from "../nodes/ethereum/Anvil.ts"
import type { Paths } from "./state/Paths.ts"
import type { Ports } from "./Ports.ts"
import type { Slug } from "./Slug.ts"
import { chainIdOf } from "./Slug.ts"

export type Chains = Readonly<Record<Slug, Anvil>>

const startOne = (paths: Paths, ports: Ports, slug: Slug) =>
  Anvil.start({
    chainId: chainIdOf[slug],
    port: ports[slug],
    stateFile: paths.chain(slug),
    blockTime: 1,
    // The well-known mnemonic gets no money: Keys.ts makes the accounts.
    accounts: 0
  })

/** Starts all chains. They end with the scope. */
export const start = (paths: Paths, ports: Ports): Effect.Effect<Chains, AnvilError, Scope.Scope> =>
  Effect.all(
    {
      alpha: startOne(paths, ports, "alpha"),
      beta: startOne(paths, ports, "beta"),
      hub: startOne(paths, ports, "hub")
    },
    { concurrency: "unbounded" }
  )

/**
 * A loaded chain knows only its head's state, while `safe` and `finalized` point below it. Three blocks later they can
 * be read again.
 */
export const settle = (chains: Chains): Effect.Effect<void, AnvilError> =>
  Effect.forEach(Object.values(chains), (chain) => chain.mine(3), { concurrency: "unbounded", discard: true })

/** Fails as soon as one of the chains has ended, and names it. */
export const died = (chains: Chains): Effect.Effect<never, AnvilError> =>
  Effect.raceAllFirst(Object.values(chains).map((chain) => chain.died))
