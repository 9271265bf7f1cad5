/** An execution with the oracle's signature for every hub (spec/4 §3). */
import * as Effect from "effect/Effect"
import { AttestationSigner } from "../../../ports/AttestationSigner.ts"
import { Hubs } from "../../../ports/Hubs.ts"
import { EthereumAddress } from "../../domain/chain/Address.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { Hex } from "../../domain/chain/Hex.ts"
import { executionDigest } from "../../domain/settlement/Execution.ts"
import type { Execution, ExecutionDomain } from "../../domain/settlement/Execution.ts"
import * as Schema from "effect/Schema"

/** Canonical values; the wire form is `ExecutionSignature`'s. */
export interface HubSignature {
  readonly domain: ExecutionDomain
  readonly signer: Address
  readonly contract: Address
  readonly signature: Hex
}

export interface SignedExecution extends Execution {
  /** One a hub, all of this signer. */
  readonly signatures: ReadonlyArray<HubSignature>
}

const decodeContract = Schema.decodeUnknownEffect(EthereumAddress)

export const signExecution = Effect.fnUntraced(function*(execution: Execution) {
  const signer = yield* AttestationSigner
  const { domains } = yield* Hubs
  const signatures = yield* Effect.forEach(domains, (domain) =>
    Effect.gen(function*() {
      // A hub's domain was checked with the configuration: what does not hash is a defect.
      const digest = yield* Effect.orDie(Effect.fromResult(executionDigest(domain, execution)))
      const contract = yield* Effect.orDie(decodeContract(domain.verifyingContract))
      return { domain, contract, signer: signer.address, signature: yield* signer.signDigest(digest) } satisfies HubSignature
    }))
  return { ...execution, signatures } satisfies SignedExecution
})
