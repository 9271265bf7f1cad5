/** An execution with the oracle's signature for every hub (spec/4 §3). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AttestationSigner } from "../../../ports/AttestationSigner.ts"
import type { SignerUnavailable } from "../../../ports/AttestationSigner.ts"
import { Hubs } from "../../../ports/Hubs.ts"
import { EthereumAddress } from "../../domain/chain/Address.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { Hex } from "../../domain/chain/Hex.ts"
import { digestUnder, domainSeparator } from "../../domain/settlement/Execution.ts"
import type { Execution, ExecutionDomain } from "../../domain/settlement/Execution.ts"

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

/** A hub's domain was checked with the configuration: what does not hash is a defect. */
const prepare = (domain: ExecutionDomain) =>
  Effect.orDie(Effect.all({
    domain: Effect.succeed(domain),
    separator: Effect.fromResult(domainSeparator(domain)),
    contract: decodeContract(domain.verifyingContract)
  }))

/** Signs executions for all hubs, whose domains are hashed once. */
export const makeSignExecution = Effect.gen(function*() {
  const { address, signDigest } = yield* AttestationSigner
  const { domains } = yield* Hubs
  const hubs = yield* Effect.forEach(domains, prepare)
  return (execution: Execution): Effect.Effect<SignedExecution, SignerUnavailable> =>
    Effect.gen(function*() {
      const signer = yield* address
      const signatures = yield* Effect.forEach(hubs, ({ contract, domain, separator }) =>
        Effect.map(signDigest(digestUnder(separator, execution)), (signature): HubSignature => ({ domain, contract, signer, signature })))
      return { ...execution, signatures }
    })
})
