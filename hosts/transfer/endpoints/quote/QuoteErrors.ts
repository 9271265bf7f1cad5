/** The error bodies of /quote (ERROR-1). `_tag` never reaches the wire. */
import { Schema } from "effect"
import { quoteErrorCodes } from "../../../../src/domain/quote/QuoteError.ts"

const Code = Schema.Literals(quoteErrorCodes)

/** Shape A: the request cannot be quoted. */
export class QuoteBadRequest extends Schema.Error<QuoteBadRequest>("QuoteBadRequest")({
  _tag: Schema.tagDefaultOmit("QuoteBadRequest"),
  message: Schema.String,
  errorCode: Code,
  /** The request field at fault. Empty when none is. */
  errorData: Schema.String,
  requestId: Schema.String,
  /** The block on which a simulation failed; with `failedCallData`. */
  approxSimulatedBlock: Schema.optionalKey(Schema.Int),
  /** The call that reverted when it was simulated. */
  failedCallData: Schema.optionalKey(Schema.Struct({
    from: Schema.String,
    to: Schema.String,
    data: Schema.String,
    value: Schema.String
  })),
  statusCode: Schema.Literal(400),
  retryable: Schema.Boolean,
  docs: Schema.String
}, { httpApiStatus: 400 }) {}

/** Shape B: the API key is unknown or revoked. Such a caller is never treated as one without a key. */
export class QuoteUnauthorized extends Schema.Error<QuoteUnauthorized>("QuoteUnauthorized")({
  _tag: Schema.tagDefaultOmit("QuoteUnauthorized"),
  message: Schema.String,
  errorCode: Schema.Literal("UNAUTHORIZED"),
  statusCode: Schema.Literal(401),
  retryable: Schema.Literal(false),
  docs: Schema.String
}, { httpApiStatus: 401 }) {}

/** Shape D: this service, or a chain, cannot answer now. */
export class QuoteUnavailable extends Schema.Error<QuoteUnavailable>("QuoteUnavailable")({
  _tag: Schema.tagDefaultOmit("QuoteUnavailable"),
  message: Schema.String,
  errorCode: Code,
  requestId: Schema.String,
  statusCode: Schema.Literal(503),
  retryable: Schema.Boolean,
  docs: Schema.String
}, { httpApiStatus: 503 }) {}

/** Shape D: a defect of this service. Its log has it under the same request id. */
export class QuoteDefect extends Schema.Error<QuoteDefect>("QuoteDefect")({
  _tag: Schema.tagDefaultOmit("QuoteDefect"),
  message: Schema.String,
  errorCode: Code,
  requestId: Schema.String,
  statusCode: Schema.Literal(500),
  retryable: Schema.Boolean,
  docs: Schema.String
}, { httpApiStatus: 500 }) {}

/** Every error body of the other routes: one sentence. */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")({
  _tag: Schema.tagDefaultOmit("BadRequest"),
  message: Schema.String,
  /** Only where a code of /quote applies: an Idempotency-Key that was used with another body. */
  errorCode: Schema.optionalKey(Code)
}, { httpApiStatus: 400 }) {}

export class Unavailable extends Schema.Error<Unavailable>("Unavailable")({
  _tag: Schema.tagDefaultOmit("Unavailable"),
  message: Schema.String
}, { httpApiStatus: 503 }) {}
