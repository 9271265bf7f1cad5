/** What the gate of a hub says: how many oracles it asks for, who they are, what it has carried out. Reads only. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../src/domain/encoding/Hex.ts"
import type { ExecutionState } from "../../src/domain/hub/settling/AgreedExecutions.ts"
import type { ChainUnavailable } from "../chain/ChainUnavailable.ts"
import type { Gate } from "./SettlingHub.ts"
import type { Routing } from "../chain/Routing.ts"

export class HubGate extends Context.Service<HubGate, {
  /**
   * How many of its oracles must have signed, and whether the chain can carry out several executions in one
   * transaction.
   */
  readonly terms: (
    hub: Gate
  ) => Effect.Effect<{ readonly threshold: number; readonly takesSeveral: boolean }, ChainUnavailable>
  /** Those among them that are oracles of the gate now. */
  readonly oraclesAmong: (
    hub: Gate,
    accounts: ReadonlyArray<Address>
  ) => Effect.Effect<ReadonlySet<Address>, ChainUnavailable>
  /**
   * One for each key, whoever submitted it; judged by each endpoint at one head of its own, in need of no older state,
   * and taken as far as the quorum of the chain's endpoints goes.
   */
  readonly executed: (
    hub: Gate,
    keys: ReadonlyArray<Hex32>
  ) => Effect.Effect<ReadonlyMap<Hex32, ExecutionState>, ChainUnavailable>
}>()("causeway/ports/HubGate") {}

export const routeHubGate: Routing<HubGate["Service"]> = (to) => ({
  terms: to((it) => it.terms, ([{ chain }]) => chain.family),
  oraclesAmong: to((it) => it.oraclesAmong, ([{ chain }]) => chain.family),
  executed: to((it) => it.executed, ([{ chain }]) => chain.family)
})
