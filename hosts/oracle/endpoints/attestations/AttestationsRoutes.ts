/** The attestation routes: pass decoded claims to `Attesting`, and encode its answers in the protocol's form. */
import { Effect, Layer, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiMiddleware } from "effect/http-api"
import { AttestationSigner } from "../../../../ports/signing/AttestationSigner.ts"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import type { Refusal } from "../../../../src/domain/evidence/judges/Refusal.ts"
import { refusalOfIssue } from "../../../../src/domain/quote/request/DecodeRequest.ts"
import { Attesting } from "../../../../src/services/attesting/Attesting.ts"
import type { AttestedDeposits, AttestedSettlement } from "../../../../src/services/attesting/Attesting.ts"
import type { AttestFailure } from "../../../../src/services/attesting/AttestFailure.ts"
import type { SignedExecution } from "../../../../src/services/attesting/SignedExecution.ts"
import { BadRequest, Defect, Unavailable } from "../Errors.ts"
import type { WireExecution } from "./AttestationsApi.ts"
import { writeDeposits } from "./WriteDeposits.ts"
import type { DepositsWire } from "./WriteDeposits.ts"
import { InputErrors, OracleApi } from "../OracleApi.ts"
import { makeCosigned } from "../Cosigned.ts"

export const inputErrors = HttpApiMiddleware.layerSchemaErrorTransform(
  InputErrors,
  (error) => Effect.fail(new BadRequest({ message: refusalOfIssue(error.cause.issue).message }))
)

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

/** The metadata refers to the first hub that this oracle signed for, independent of other signatures. */
const metadataOf = ({ deposits, execution }: AttestedDeposits, oracle: Address) =>
  (execution?.signatures ?? []).filter(({ signer }) => signer === oracle).slice(0, 1).flatMap(({ contract, domain }) =>
    deposits.map(({ metadata }) => ({
      hubTokenId: metadata.hubTokenId.toString(),
      origin: metadata.origin,
      oracleChainId: domain.chainId.toString(),
      oracleContract: contract
    }))
  )

export const layer = HttpApiBuilder.group(
  OracleApi,
  "attestations",
  Effect.fn(function*(handlers) {
    const attesting = yield* Attesting
    const { address } = yield* AttestationSigner
    const { cosigned, notesOf } = yield* makeCosigned

    const depositsAnswer = (chainId: string, attested: AttestedDeposits, oracle: Address): DepositsWire => ({
      messages: attested.deposits.map(({ message: { transactionId, ...result }, signature, timestamp }) => ({
        data: { chainId, transactionId },
        result: { ...result, amount: result.amount.toString() },
        signature: { oracle, signature },
        extraData: { timestamp }
      })),
      ...(attested.execution === undefined
        ? {}
        : { execution: { ...wireExecution(attested.execution), metadata: metadataOf(attested, oracle) } }),
      ...notesOf(attested.execution)
    })

    /** The claim is returned as it was sent; what is signed is its canonical form. */
    const settlementAnswer = Effect.fnUntraced(function*({ execution, result, signature }: AttestedSettlement) {
      const oracle = yield* answering(address)
      const request = yield* HttpServerRequest.HttpServerRequest
      // The body has been decoded before, so its text is JSON.
      const data = yield* Effect.orDie(Effect.flatMap(request.json, Schema.decodeUnknownEffect(Schema.Json)))
      return {
        message: {
          data,
          result: { ...result, totalWeightedInputPaymentBpsDiff: result.totalWeightedInputPaymentBpsDiff.toString() },
          signature: { oracle, signature }
        },
        execution: wireExecution(execution),
        ...notesOf(execution)
      }
    })

    return handlers.handleAll({
      deposits: (call) =>
        Effect.map(
          answering(cosigned(call, Effect.all([attesting.deposits(call.payload), address]))),
          ([attested, oracle]) => writeDeposits(depositsAnswer(call.payload.chainId, attested, oracle))
        ),
      fills: (call) => Effect.flatMap(answering(cosigned(call, attesting.fill(call.payload))), settlementAnswer),
      refunds: (call) => Effect.flatMap(answering(cosigned(call, attesting.refund(call.payload))), settlementAnswer)
    })
  })
).pipe(Layer.provide(inputErrors))
