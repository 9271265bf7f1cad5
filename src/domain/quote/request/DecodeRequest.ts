/**
 * Decodes a raw body into a quote request, or a refusal that says which fields are wrong (WIRE-7, ERROR-2).
 *
 * For callers that have the body as a value. A host whose framework decodes uses `quoteRequestOf` and
 * `decodeFailureCode`.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import { describeFaults } from "../../decoding/DescribeFaults.ts"
import { QuoteRefused } from "../QuoteError.ts"
import type { QuoteErrorCode } from "../QuoteError.ts"
import { findUnserved, quoteRequestOf } from "./QuoteRequest.ts"
import type { QuoteRequest, RequestParameter } from "./QuoteRequest.ts"

/** The error code for a field that does not decode. `field` may be a path. */
export const decodeFailureCode = (field: string): QuoteErrorCode =>
  field === "slippageTolerance" || field === "latePaymentSlippageTolerance"
    ? "INVALID_SLIPPAGE_TOLERANCE"
    : "INVALID_REQUEST"

/** Every fault of a body that does not decode; the code and the field are those of the first. */
export const refusalOfIssue = (issue: SchemaIssue.Issue): QuoteRefused => {
  const { field, message } = describeFaults(issue, "body")
  return new QuoteRefused({ code: decodeFailureCode(field), field, message })
}

/** The refusal of a known parameter that the host does not serve. */
export const refuseUnserved = (name: RequestParameter): QuoteRefused =>
  new QuoteRefused({
    code: "INVALID_REQUEST",
    field: name,
    message: `${name} is not supported by this version: leave it out`
  })

/** A decoder for a host that serves these parameters. Total: any value gives a request or a refusal. */
export const makeRequestDecoder = (
  served: ReadonlyArray<RequestParameter>
): (body: unknown) => Result.Result<QuoteRequest, QuoteRefused> => {
  const decode = Schema.decodeUnknownResult(quoteRequestOf(served), { errors: "all" })
  return (body) => {
    const unserved = findUnserved(served, body)
    if (unserved !== undefined) return Result.fail(refuseUnserved(unserved))
    return Result.mapError(decode(body), (error) => refusalOfIssue(error.issue))
  }
}
