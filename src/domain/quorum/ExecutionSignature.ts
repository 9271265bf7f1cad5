/**
 * A signature of an execution, as oracles return it (EXEC-4), and the execution in a peer's answer: outside data,
 * bounded and decoded once at the edge.
 */
import * as Schema from "effect/Schema"
import { EthereumAddress } from "../chain/Address.ts"
import { Hex32FromString, HexFromString } from "../encoding/Hex.ts"

/** One oracle's EIP-712 signature of an execution, for one gate. */
export const ExecutionSignature = Schema.Struct({
  /** The hub's EIP-155 number, decimal. */
  oracleChainId: Schema.String.check(Schema.isPattern(/^(?:0|[1-9][0-9]{0,77})$/)),
  oracleContract: EthereumAddress,
  oracleSigner: EthereumAddress,
  /** 65 bytes r‖s‖v. */
  signature: HexFromString.check(Schema.isMaxLength(132))
})
export type ExecutionSignature = typeof ExecutionSignature.Type

/** A peer signs once per hub; far more signatures than hubs would only cost recoveries. */
export const MAX_SIGNATURES = 16

/** A peer's answer: the execution that it assessed, and its signatures of it. */
export const PeerExecution = Schema.Struct({
  idempotencyKey: Hex32FromString,
  actions: Schema.Array(HexFromString),
  signatures: Schema.Array(ExecutionSignature).check(Schema.isMaxLength(MAX_SIGNATURES))
})
export type PeerExecution = typeof PeerExecution.Type
