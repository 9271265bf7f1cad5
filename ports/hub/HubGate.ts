/**
 * Reads a hub's gate: how many oracle signatures it requires, which oracles it knows, and what it has executed. Reads
 * only.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../src/domain/encoding/Hex.ts"
import type { ExecutionState } from "../../src/domain/hub/settling/AgreedExecutions.ts"
import type { ChainUnavailable } from "../chain/ChainUnavailable.ts"
import type { Gate } from "./SettlingHub.ts"
import type { Routing } from "../chain/Routing.ts"

/** The gate in front of a hub: its threshold, its oracles, and which executions it has carried out. */
export class HubGate extends Context.Service<HubGate, {
  /** How many of its oracles must sign, and whether the chain can execute several executions in one transaction. */
  readonly terms: (
    hub: Gate
  ) => Effect.Effect<{ readonly threshold: number; readonly takesSeveral: boolean }, ChainUnavailable>
  /** Those of the accounts that are oracles of the gate now. */
  readonly oraclesAmong: (
    hub: Gate,
    accounts: ReadonlyArray<Address>
  ) => Effect.Effect<ReadonlySet<Address>, ChainUnavailable>
  /**
   * One state for each key, no matter who submitted the execution. Each endpoint answers at one head of its own and
   * needs no older state. A state counts as far as a quorum of the chain's endpoints has reached it.
   */
  readonly executed: (
    hub: Gate,
    keys: ReadonlyArray<Hex32>
  ) => Effect.Effect<ReadonlyMap<Hex32, ExecutionState>, ChainUnavailable>
}>()("causeway/ports/HubGate") {}

/** The family of each call of this port. */
export const routeHubGate: Routing<HubGate["Service"]> = (to) => ({
  terms: to((it) => it.terms, ([{ chain }]) => chain.family),
  oraclesAmong: to((it) => it.oraclesAmong, ([{ chain }]) => chain.family),
  executed: to((it) => it.executed, ([{ chain }]) => chain.family)
})
