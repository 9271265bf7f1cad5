/** Why nothing is attested. */
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Refusal } from "../../domain/evidence/judges/Refusal.ts"
import type { EndpointsDisagree, TooFewAnswers } from "../../domain/quorum/QuorumFailure.ts"

/** A refusal is the claim's fault, or too early; the others are the world's. */
export type AttestFailure = Refusal | ChainUnavailable | TooFewAnswers | EndpointsDisagree | SignerUnavailable
