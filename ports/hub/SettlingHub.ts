/**
 * The hub on which this service settles its payments: one, or none when settling is off. Also other gates that it still
 * tracks.
 */
import * as Context from "effect/Context"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { ExecutionDomain } from "../../src/domain/hub/Execution.ts"

/**
 * How a gate receives the signers' signatures (EXEC-6, EXEC-7). `OracleGate`: a list of its oracles' signatures.
 * `Oracle`: one oracle by role, which is an account that signed, or `multisig`, a contract whose signature combines
 * those of enough of its signers.
 */
export type GateForm = { readonly _tag: "OracleGate" } | {
  readonly _tag: "Oracle"
  readonly multisig: Address | undefined
}

/** A contract that executes instructions, with its chain: all that is needed to track what was submitted there. */
export interface Gate {
  /**
   * Being a hub's chain does not make a chain available for deposits or quotes. If the chain is also served, this is
   * the same chain.
   */
  readonly chain: Chain
  readonly gate: Address
  /** `OracleGate` when undefined. */
  readonly form?: GateForm | undefined
}

/** The gate to which executions of this service's payments are submitted. */
export interface Hub extends Gate {
  /** The signing domain that oracles use for it. */
  readonly domain: ExecutionDomain
}

/** The hub on which payments are settled, or none. */
export class SettlingHub extends Context.Service<SettlingHub, {
  /** Undefined when settling is off. */
  readonly hub: Hub | undefined
  /** Other configured gates: nothing new is submitted there, and earlier submissions are still tracked. */
  readonly followed: ReadonlyArray<Gate>
}>()("causeway/ports/SettlingHub") {}
