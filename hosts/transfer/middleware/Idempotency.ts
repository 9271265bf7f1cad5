/**
 * Idempotency-Key on every POST (WIRE-8). The same key and body get the stored answer for 24 hours, the same key with
 * another body is refused, and of two concurrent requests the second gets a 409.
 *
 * Only successes are stored: a refusal changed nothing, and a retry may get another answer. An answer with
 * `cache-control: no-store` holds a secret and is never stored: a retry makes a new one.
 *
 * Scope: API key, or otherwise client address, and route. A caller with an unknown API key has no scope, and its
 * request always runs. While the store cannot look the key up, the guarantee is not possible, and the answer is a 503.
 * A key of a wrong length passes to the API's own schema, which reports it.
 */
import { Clock, Duration, Effect, Exit } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import type { IdempotencySlot, IdempotentAnswers } from "../../../ports/store/clients/IdempotentAnswers.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { pathOfErrorPage } from "../endpoints/ErrorPages.ts"
import { Caller } from "./Caller.ts"
import type { KnownCaller } from "./Caller.ts"
import { pathOf } from "../../http/PathOf.ts"
import { poll } from "../../../src/services/polling/Poll.ts"

const MAX_KEY = 255

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const reused = (requestId: RequestId) => {
  const errorCode = "IDEMPOTENCY_KEY_REUSED"
  const message = "this Idempotency-Key was used with another body: use a new one for a new request"
  const body = {
    message,
    errorCode,
    errorData: "idempotency-key",
    requestId,
    statusCode: 400,
    retryable: false,
    docs: pathOfErrorPage(errorCode)
  }
  return HttpServerResponse.jsonUnsafe(body, { status: 400 })
}

const running = HttpServerResponse.jsonUnsafe(
  { message: "a request with this Idempotency-Key is still running: ask again for its answer" },
  { status: 409 }
)

const unavailable = (requestId: RequestId, message: string) => {
  const errorCode = "SERVICE_UNAVAILABLE"
  const body = { message, errorCode, requestId, statusCode: 503, retryable: true, docs: pathOfErrorPage(errorCode) }
  return HttpServerResponse.jsonUnsafe(body, { status: 503 })
}

const bodyText = ({ body }: HttpServerResponse.HttpServerResponse): string | undefined => {
  switch (body._tag) {
    case "Uint8Array":
      return new TextDecoder().decode(body.body)
    default:
      return undefined
  }
}

const isSecret = ({ headers }: HttpServerResponse.HttpServerResponse): boolean =>
  (headers["cache-control"] ?? "").includes("no-store")

const slotOf = (
  request: HttpServerRequest.HttpServerRequest,
  key: string,
  caller: Extract<KnownCaller, { readonly _tag: "Key" | "Address" }>
): IdempotencySlot => {
  const who = caller._tag === "Key" ? `key:${caller.key.id}` : `address:${caller.address}`
  // Hashed, so that no address is stored.
  return { scope: sha256(`${who}\n${pathOf(request)}`), key }
}

/** Claims a slot, runs the request, and stores its answer when it succeeded. */
const runOnce = <E, R>(
  slot: IdempotencySlot,
  answers: IdempotentAnswers["Service"],
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  Effect.onExit(app, (exit) => {
    const response = Exit.isSuccess(exit) ? exit.value : undefined
    const body = response === undefined || response.status >= 300 || isSecret(response) ? undefined : bodyText(response)
    const kept = response === undefined || body === undefined
      ? answers.release(slot)
      : answers.store(slot, { status: response.status, body })
    // The work is done. An answer that could not be stored is still this request's answer.
    return Effect.ignore(kept)
  })

export const withIdempotency = (
  answers: IdempotentAnswers["Service"],
  newRequestId: Effect.Effect<RequestId>
) =>
<E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
  const once = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest, key: string) {
    const caller = yield* Caller
    if (caller._tag === "UnknownKey") return yield* app
    if (caller._tag === "UncheckedKey") return unavailable(yield* newRequestId, caller.failure.message)
    const slot = slotOf(request, key, caller)
    const text = yield* request.text
    const claim = yield* Effect.result(answers.claim(slot, sha256(text), yield* Clock.currentTimeMillis))
    if (claim._tag === "Failure") return unavailable(yield* newRequestId, claim.failure.message)
    switch (claim.success._tag) {
      case "Claimed":
        return yield* runOnce(slot, answers, app)
      case "Running":
        return running
      case "Reused":
        return reused(yield* newRequestId)
      case "Answered": {
        const { body, status } = claim.success.answer
        return HttpServerResponse.text(body, {
          status,
          contentType: "application/json",
          headers: { "idempotent-replayed": "true" }
        })
      }
    }
  })

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const key = request.headers["idempotency-key"]
    return request.method !== "POST" || key === undefined || key.length === 0 || key.length > MAX_KEY
      ? app
      : once(request, key)
  })
}

const KEPT = Duration.hours(24)

/** Removes answers older than 24 hours, every hour, while the host runs. */
export const forgetOldAnswers = (answers: IdempotentAnswers["Service"]) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => answers.forgetBefore(now - Duration.toMillis(KEPT))).pipe(
    poll("forgetting stored answers", "1 hour")
  )
