/** The hub on which this service settles what it pays: one, or none where nothing is settled. */
import * as Context from "effect/Context"
import type { Chain } from "../src/domain/chain/Chain.ts"
import type { Address } from "../src/domain/chain/Address.ts"
import type { ExecutionDomain } from "../src/domain/settlement/Execution.ts"

/** Where executions of this service's payments are submitted. */
export interface Hub {
  /** Nothing is deposited or quoted on it by being a hub; where it is a served chain too, this is that chain. */
  readonly chain: Chain
  /** The contract that carries executions out. */
  readonly gate: Address
  /** What oracles sign for it. */
  readonly domain: ExecutionDomain
}

export class SettlingHub extends Context.Service<SettlingHub, {
  /** Undefined: settling is off. */
  readonly hub: Hub | undefined
}>()("causeway/ports/SettlingHub") {}
