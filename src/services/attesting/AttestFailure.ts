/** Why nothing is attested. */
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Refusal } from "../../domain/evidence/judges/Refusal.ts"
import type { EndpointsDisagree, TooFewAnswers } from "../../domain/quorum/QuorumFailure.ts"

/**
 * A refusal means that the claim is wrong or too early. The other failures come from outside: chains, endpoints or the
 * signer.
 */
export type AttestFailure = Refusal | ChainUnavailable | TooFewAnswers | EndpointsDisagree | SignerUnavailable
