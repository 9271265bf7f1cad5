/**
 * Refusals that any route may answer, whether from the framework, a limit, or the idempotency of POSTs. Declared at
 * every endpoint, so that the OpenAPI document and its clients know every body. `_tag` never reaches the wire.
 */
import { Schema } from "effect"
import { BodyTooLarge, UnsupportedMediaType } from "../../http/BodyErrors.ts"

/** Shape C: too many requests, by client address or by chain. Retry-After says when to retry. */
export class TooManyRequests extends Schema.Error<TooManyRequests>("TooManyRequests")({
  _tag: Schema.tagDefaultOmit("TooManyRequests"),
  message: Schema.String,
  statusCode: Schema.Literal(429),
  retryable: Schema.Literal(true),
  docs: Schema.String
}, { httpApiStatus: 429 }) {}

/** A request with the same Idempotency-Key is still running. */
export class Conflict extends Schema.Error<Conflict>("Conflict")({
  _tag: Schema.tagDefaultOmit("Conflict"),
  message: Schema.String
}, { httpApiStatus: 409 }) {}

/** A defect of this service; its log has the cause. */
export class Defect extends Schema.Error<Defect>("Defect")({
  _tag: Schema.tagDefaultOmit("Defect"),
  message: Schema.String
}, { httpApiStatus: 500 }) {}

/** The possible refusals of a GET besides its own errors. */
export const readErrors = [TooManyRequests, Defect] as const

/** The possible refusals of a POST besides its own errors. /quote has its own 500. */
export const bodyErrors = [TooManyRequests, Conflict, BodyTooLarge, UnsupportedMediaType] as const

const keyText = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(255))

/** Header of every POST (WIRE-8): a repeated key and body get the stored answer for 24 hours. */
export const idempotencyHeader = {
  "idempotency-key": Schema.optionalKey(
    keyText.annotate({
      description: "at most 255 characters, kept for 24 hours: the same key and body gives the stored answer"
    })
  )
}

/** Added to the description of endpoints that return a `secretAnswer`. */
export const neverStored = "The answer holds a secret and is never stored: an Idempotency-Key does not repeat it."
