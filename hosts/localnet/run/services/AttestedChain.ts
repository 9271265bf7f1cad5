/**
 * Chains of the network that the oracle attests on, beside the EVM chains and Solana. The transfer service serves some
 * of them too. Each is optional, and is started beside everything else. A family's code is loaded with its first chain.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { BitcoinError } from "../../nodes/bitcoin/BitcoinError.ts"
import type { ExchangeError } from "../../nodes/ExchangeError.ts"
import type { TronError } from "../../nodes/tron/TronError.ts"
import type { Keys } from "../state/Keys.ts"
import type { Localnet } from "../state/LocalnetFile.ts"
import type { Paths } from "../state/Paths.ts"
import type { Listener, Ports } from "../Ports.ts"
import type { Screen } from "../../../cli/Screen.ts"

export interface AttestedChain {
  /** The protocol's id. */
  readonly slug: string
  /** The oracle's variables for it, including the family's companions. */
  readonly environment: Readonly<Record<string, string>>
  /** The transfer service's, with the solver's key there. Missing when it does not serve the chain. */
  readonly transfer?: Readonly<Record<string, string>>
  /** How much of its native currency a transfer to try begins with. */
  readonly tried?: string
  /** Its part of localnet.json. */
  readonly described: Partial<Pick<Localnet, "bitcoin" | "tron" | "exchangeA" | "exchangeB">>
  /** Fails as soon as it has ended on its own. A chain in this process never does. */
  readonly died: Effect.Effect<never, BitcoinError | TronError>
}

/** The inputs of a start. */
export interface StartAttested {
  readonly paths: Paths
  readonly ports: Ports
  readonly keys: Keys
}

type Start = (
  given: StartAttested
) => Effect.Effect<AttestedChain, BitcoinError | TronError | ExchangeError, Scope.Scope>

const start: Readonly<Record<AttestedName, Start>> = {
  bitcoin: (given) =>
    Effect.flatMap(Effect.promise(() => import("../../nodes/bitcoin/BitcoinChain.ts")), (chain) => chain.start(given)),
  tron: (given) =>
    Effect.flatMap(Effect.promise(() => import("../../nodes/tron/TronChain.ts")), (chain) => chain.start(given)),
  exchangeA: (given) =>
    Effect.flatMap(
      Effect.promise(() => import("../../nodes/exchange-a/ExchangeAChain.ts")),
      (chain) => chain.start(given)
    ),
  exchangeB: (given) =>
    Effect.flatMap(
      Effect.promise(() => import("../../nodes/exchange-b/ExchangeBChain.ts")),
      (chain) => chain.start(given)
    )
}

/** Their names on the screen. */
const titles: Readonly<Record<AttestedName, string>> = {
  bitcoin: "Bitcoin chain",
  tron: "Tron chain",
  exchangeA: "exchange A, simulated",
  exchangeB: "exchange B, simulated"
}

/** By the names of their ports. */
export type AttestedName = Extract<Listener, "bitcoin" | "tron" | "exchangeA" | "exchangeB">

export const attestedNames: ReadonlyArray<AttestedName> = ["bitcoin", "tron", "exchangeA", "exchangeB"]

export const isAttested = (name: Listener): name is AttestedName => attestedNames.some((each) => each === name)

/** Starts the requested ones, all at once. Errors: those of each; `not-started` when its state is damaged. */
export const startAttested = (wanted: ReadonlyArray<AttestedName>, given: StartAttested, screen: Screen) =>
  Effect.forEach(wanted, (name) => screen.step(titles[name], start[name](given), () => `port ${given.ports[name]}`), {
    concurrency: "unbounded"
  })

/** Fails as soon as one of them has ended. */
export const attestedDied = (chains: ReadonlyArray<AttestedChain>): Effect.Effect<never, BitcoinError | TronError> =>
  chains.reduce<Effect.Effect<never, BitcoinError | TronError>>(
    (none, { died }) => Effect.raceFirst(none, died),
    Effect.never
  )
