/** The attestation routes: pass decoded claims to `Attesting`, and encode its answers in the protocol's form. */
import { Effect, Layer, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiMiddleware } from "effect/http-api"
import { AttestationSigner } from "../../../../ports/signing/AttestationSigner.ts"
import { refusalOfIssue } from "../../../../src/domain/quote/request/DecodeRequest.ts"
import { Attesting } from "../../../../src/services/attesting/Attesting.ts"
import type { AttestedSettlement } from "../../../../src/services/attesting/Attesting.ts"
import { answering, wireExecution } from "../Answering.ts"
import { BadRequest } from "../Errors.ts"
import { makeDepositsAnswer } from "./DepositsAnswer.ts"
import { makeRequireHintNames } from "./HintNames.ts"
import { InputErrors, OracleApi } from "../OracleApi.ts"
import { makeCosigned } from "../Cosigned.ts"

export const inputErrors = HttpApiMiddleware.layerSchemaErrorTransform(
  InputErrors,
  (error) => Effect.fail(new BadRequest({ message: refusalOfIssue(error.cause.issue).message }))
)

export const layer = HttpApiBuilder.group(
  OracleApi,
  "attestations",
  Effect.fn(function*(handlers) {
    const attesting = yield* Attesting
    const { address } = yield* AttestationSigner
    const { cosigned, notesOf } = yield* makeCosigned
    const deposits = yield* makeDepositsAnswer
    const requireHintNames = yield* makeRequireHintNames

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
      deposits: (call) => deposits(call.payload, (attestation) => cosigned(call, attestation)),
      fills: (call) =>
        Effect.andThen(
          requireHintNames(call.payload),
          Effect.flatMap(answering(cosigned(call, attesting.fill(call.payload))), settlementAnswer)
        ),
      refunds: (call) =>
        Effect.andThen(
          requireHintNames(call.payload),
          Effect.flatMap(answering(cosigned(call, attesting.refund(call.payload))), settlementAnswer)
        )
    })
  })
).pipe(Layer.provide(inputErrors))
