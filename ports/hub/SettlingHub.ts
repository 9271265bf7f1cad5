/**
 * The hub on which this service settles what it pays: one, or none where nothing is settled; and others that it knows.
 */
import * as Context from "effect/Context"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { ExecutionDomain } from "../../src/domain/hub/Execution.ts"

/**
 * How a gate is told who signed (EXEC-6, EXEC-7). `OracleGate`: a list of its oracles' signatures. `Oracle`: one oracle
 * by role, an account that signed, or `multisig`, a contract whose signature is that of enough of its signers.
 */
export type GateForm = { readonly _tag: "OracleGate" } | {
  readonly _tag: "Oracle"
  readonly multisig: Address | undefined
}

/** A contract that carries executions out, with its chain: all that it takes to follow what was submitted there. */
export interface Gate {
  /** Nothing is deposited or quoted on it by being a hub; where it is a served chain too, this is that chain. */
  readonly chain: Chain
  readonly gate: Address
  /** OracleGate's unless it says otherwise. */
  readonly form?: GateForm | undefined
}

/** Where executions of this service's payments are submitted. */
export interface Hub extends Gate {
  /** What oracles sign for it. */
  readonly domain: ExecutionDomain
}

export class SettlingHub extends Context.Service<SettlingHub, {
  /** Undefined: settling is off. */
  readonly hub: Hub | undefined
  /** Those that are configured besides: nothing new is submitted there, and what was is followed. */
  readonly followed: ReadonlyArray<Gate>
}>()("causeway/ports/SettlingHub") {}
