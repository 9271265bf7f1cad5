/**
 * What every route has that answers executions: peers sign with us if the body asks for it, and the answer says how it
 * stands.
 */
import { Effect, Redacted, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Cosigning } from "../../../src/services/attesting/Cosigning.ts"
import type { SignedExecution } from "../../../src/services/attesting/SignedExecution.ts"
import { Shadow } from "../config/Shadow.ts"

const decodeBody = Schema.decodeUnknownEffect(Schema.Record(Schema.String, Schema.Json))

/** What a handler is given, as far as peers are concerned. */
interface Call {
  readonly endpoint: { readonly path: string }
  readonly payload: { readonly requestPeerSignatures?: boolean }
  readonly request: HttpServerRequest.HttpServerRequest
}

export const makeCosigned = Effect.gen(function*() {
  const { alongside } = yield* Cosigning
  const { isShadow } = yield* Shadow

  /** The attestation of an endpoint that produces executions. */
  const cosigned = <A, E, R>(
    { endpoint, payload, request }: Call,
    attestation: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> => {
    const key = request.headers["x-api-key"] ?? ""
    return alongside({
      path: endpoint.path,
      requestPeerSignatures: payload.requestPeerSignatures,
      // It has been decoded by now, so its text is JSON, and an object.
      body: Effect.orDie(Effect.flatMap(request.json, decodeBody)),
      incomingKey: key === "" ? undefined : Redacted.make(key)
    })(attestation)
  }

  /** What an answer says of its signatures. */
  const notesOf = (execution: SignedExecution | undefined) => ({
    ...(execution?.signaturesMissing === undefined ? {} : { signaturesMissing: execution.signaturesMissing }),
    ...(isShadow ? { shadow: true as const } : {})
  })

  return { cosigned, notesOf }
})
