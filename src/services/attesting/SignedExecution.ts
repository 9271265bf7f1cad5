/** An execution with the signatures of oracles. */
import type { Address } from "../../domain/chain/Address.ts"
import type { Hex } from "../../domain/encoding/Hex.ts"
import type { Execution, ExecutionDomain } from "../../domain/hub/Execution.ts"

/** Canonical values; `ExecutionSignature` is the wire form. */
export interface HubSignature {
  readonly domain: ExecutionDomain
  readonly signer: Address
  readonly contract: Address
  readonly signature: Hex
}

export interface SignedExecution extends Execution {
  /** At most one for each hub and signer, sorted by signer, including this oracle's own. */
  readonly signatures: ReadonlyArray<HubSignature>
  /** How many signers are missing to the threshold, when peers were waited for and too few signed. */
  readonly signaturesMissing?: number
}
