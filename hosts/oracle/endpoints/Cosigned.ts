/**
 * Shared by all routes that return executions (ORACLE-4): peers sign too if the body asks for it, and the answer
 * reports the state of the signatures.
 */
import { Effect, Redacted, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Cosigning } from "../../../src/services/attesting/Cosigning.ts"
import type { SignedExecution } from "../../../src/services/attesting/SignedExecution.ts"
import { Shadow } from "../config/Shadow.ts"

const decodeBody = Schema.decodeUnknownEffect(Schema.Record(Schema.String, Schema.Json))

/** The part of a handler's input that concerns peers. */
interface Call {
  readonly endpoint: { readonly path: string }
  readonly payload: { readonly requestPeerSignatures?: boolean }
  readonly request: HttpServerRequest.HttpServerRequest
}

export const makeCosigned = Effect.gen(function*() {
  const { alongside } = yield* Cosigning
  const { isShadow } = yield* Shadow

  /** Runs the attestation of an endpoint that produces executions, while peers are asked. */
  const cosigned = <A, E, R>(
    { endpoint, payload, request }: Call,
    attestation: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> => {
    const key = request.headers["x-api-key"] ?? ""
    return alongside({
      path: endpoint.path,
      requestPeerSignatures: payload.requestPeerSignatures,
      // The body has been decoded before, so its text is a JSON object.
      body: Effect.suspend(() => Effect.orDie(Effect.flatMap(request.json, decodeBody))),
      incomingKey: key === "" ? undefined : Redacted.make(key)
    })(attestation)
  }

  /** What an answer reports about its signatures. */
  const notesOf = (execution: SignedExecution | undefined) => ({
    ...(execution?.signaturesMissing === undefined ? {} : { signaturesMissing: execution.signaturesMissing }),
    ...(isShadow ? { shadow: true as const } : {})
  })

  return { cosigned, notesOf }
})
