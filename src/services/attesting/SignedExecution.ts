/** An execution with the signatures of oracles. */
import type { Address } from "../../domain/chain/Address.ts"
import type { Hex } from "../../domain/encoding/Hex.ts"
import type { Execution, ExecutionDomain } from "../../domain/hub/Execution.ts"

/** Canonical values; the wire form is `ExecutionSignature`'s. */
export interface HubSignature {
  readonly domain: ExecutionDomain
  readonly signer: Address
  readonly contract: Address
  readonly signature: Hex
}

export interface SignedExecution extends Execution {
  /** At most one a hub and signer, sorted by signer; this oracle's own among them. */
  readonly signatures: ReadonlyArray<HubSignature>
  /** Signers short of the threshold when peers were waited for in vain. */
  readonly signaturesMissing?: number
}
