/**
 * An execution with the oracle's signature for every hub, or for those that it may run on (EXEC-4), and the signatures
 * of the peers that were asked (PEER-2).
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AttestationSigner } from "../../../ports/signing/AttestationSigner.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { Hubs } from "../../../ports/hub/Hubs.ts"
import { EthereumAddress } from "../../domain/chain/Address.ts"
import { digestUnder, domainSeparator } from "../../domain/hub/Execution.ts"
import type { Execution, ExecutionDomain } from "../../domain/hub/Execution.ts"
import { AskedPeers } from "./AskedPeers.ts"
import type { HubSignature, SignedExecution } from "./SignedExecution.ts"

const decodeContract = Schema.decodeUnknownEffect(EthereumAddress)

/** A hub's domain was checked with the configuration, so one that does not hash is a defect. */
const prepare = (domain: ExecutionDomain) =>
  Effect.orDie(Effect.all({
    domain: Effect.succeed(domain),
    separator: Effect.fromResult(domainSeparator(domain)),
    contract: decodeContract(domain.verifyingContract)
  }))

/** One contract on one chain has one domain. */
const isOne = (left: ExecutionDomain, right: ExecutionDomain): boolean =>
  left.chainId === right.chainId && left.verifyingContract === right.verifyingContract

/**
 * Signs executions for all hubs, or for the given ones. The hubs' domains are hashed once. Adds the signatures of the
 * request's peers, if it has any.
 */
export const makeSignExecution = Effect.gen(function*() {
  const { address, signDigest } = yield* AttestationSigner
  const { domains } = yield* Hubs
  const hubs = yield* Effect.forEach(domains, prepare)
  const sign = Effect.fnUntraced(
    function*(
      execution: Execution,
      only: ReadonlyArray<ExecutionDomain>
    ): Effect.fn.Return<SignedExecution, SignerUnavailable> {
      const signer = yield* address
      const signatures = yield* Effect.forEach(
        hubs.filter(({ domain }) => only.some((each) => isOne(each, domain))),
        ({ contract, domain, separator }) =>
          Effect.map(
            signDigest(digestUnder(separator, execution)),
            (signature): HubSignature => ({ domain, contract, signer, signature })
          )
      )
      return { ...execution, signatures }
    }
  )
  return (execution: Execution, only: ReadonlyArray<ExecutionDomain> = domains) =>
    Effect.flatMap(sign(execution, only), (local) => Effect.flatMap(AskedPeers, ({ cosign }) => cosign(local)))
})
