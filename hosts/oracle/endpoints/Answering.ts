/** What attestations become on the wire: their failures as answers, and their executions in the protocol's form. */
import { Effect } from "effect"
import type { Refusal } from "../../../src/domain/evidence/judges/Refusal.ts"
import type { AttestFailure } from "../../../src/services/attesting/AttestFailure.ts"
import type { SignedExecution } from "../../../src/services/attesting/SignedExecution.ts"
import type { WireExecution } from "./attestations/AttestationsApi.ts"
import { BadRequest, Defect, Unavailable } from "./Errors.ts"

const refused = ({ confirmations, message, needed, reason }: Refusal) =>
  new BadRequest({
    message,
    reason,
    ...(confirmations === undefined ? {} : { confirmations }),
    ...(needed === undefined ? {} : { needed })
  })

/** Endpoints that disagree raise an alarm and are not retryable: an operator has to check them first. */
const onTheWire = (failure: AttestFailure): BadRequest | Unavailable => {
  switch (failure._tag) {
    case "Refusal":
      return refused(failure)
    case "EndpointsDisagree":
      return new Unavailable({
        message: "the endpoints of a chain disagree: nothing is attested on it",
        retryable: false
      })
    case "TooFewAnswers":
      return new Unavailable({ message: "too few endpoints of a chain answer now; try again", retryable: true })
    case "ChainUnavailable":
      return new Unavailable({ message: failure.message, retryable: true })
    case "SignerUnavailable":
      return failure.fault === "unreachable"
        ? new Unavailable({ message: failure.message, retryable: true })
        : new Unavailable({ message: "the signer cannot be used: its operator has to fix it", retryable: false })
  }
}

/** Turns the failures of an attestation into answers. The details of a defect appear only in the log. */
export const answering = <A, R>(
  attested: Effect.Effect<A, AttestFailure, R>
): Effect.Effect<A, BadRequest | Unavailable | Defect, R> =>
  attested.pipe(
    Effect.mapError(onTheWire),
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logError("an attestation failed with a defect", defect),
        Effect.fail(new Defect({ message: "Something went wrong" }))
      )
    )
  )

export const wireExecution = ({ actions, idempotencyKey, signatures }: SignedExecution): WireExecution => ({
  idempotencyKey,
  actions,
  signatures: signatures.map(({ contract, domain, signature, signer }) => ({
    oracleChainId: domain.chainId.toString(),
    oracleContract: contract,
    oracleSigner: signer,
    signature
  }))
})
