/** Error bodies of the oracle (ORACLE-11, CONFIG-5). `_tag` is never sent. */
import { Schema } from "effect"
import { RefusalReason } from "../../../src/domain/evidence/judges/Refusal.ts"

export class Unauthorized extends Schema.Error<Unauthorized>("OracleUnauthorized")({
  _tag: Schema.tagDefaultOmit("OracleUnauthorized"),
  error: Schema.Literal("Unauthorized")
}, { httpApiStatus: 401 }) {}

/**
 * A claim that a rule refuses, or a body that is not a valid claim. A claim that may be attestable later has the number
 * of confirmations.
 */
export class BadRequest extends Schema.Error<BadRequest>("OracleBadRequest")({
  _tag: Schema.tagDefaultOmit("OracleBadRequest"),
  message: Schema.String,
  reason: Schema.optionalKey(RefusalReason),
  /** Blocks on top of the transaction's block; with `not-final`. */
  confirmations: Schema.optionalKey(Schema.Int),
  needed: Schema.optionalKey(Schema.Int)
}, { httpApiStatus: 400 }) {}

/**
 * A chain cannot be read now, its endpoints disagree, or the signer cannot be used. `retryable` is false when an
 * operator has to act first.
 */
export class Unavailable extends Schema.Error<Unavailable>("OracleUnavailable")({
  _tag: Schema.tagDefaultOmit("OracleUnavailable"),
  message: Schema.String,
  retryable: Schema.Boolean
}, { httpApiStatus: 503 }) {}

export class Defect extends Schema.Error<Defect>("OracleDefect")({
  _tag: Schema.tagDefaultOmit("OracleDefect"),
  message: Schema.Literal("Something went wrong")
}, { httpApiStatus: 500 }) {}
