/**
 * Decodes a raw body into a quote request, or a refusal that says which fields are wrong (WIRE-7, ERROR-2).
 *
 * For callers that have the body as a value. A host whose framework decodes uses `quoteRequestOf` and
 * `decodeFailureCode`.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import type { Chain } from "../../chain/Chain.ts"
import { listFaults } from "../../decoding/DescribeFaults.ts"
import { QuoteRefused } from "../QuoteError.ts"
import type { QuoteErrorCode } from "../QuoteError.ts"
import { gatherFaults, refuseAll } from "./GatherFaults.ts"
import { findUnserved, QuoteRequest, quoteRequestOf } from "./QuoteRequest.ts"
import type { RequestParameter } from "./QuoteRequest.ts"
import { checkEnds } from "./ResolveRequest.ts"

/** The error code for a field that does not decode. `field` may be a path. */
export const decodeFailureCode = (field: string): QuoteErrorCode =>
  field === "slippageTolerance" || field === "latePaymentSlippageTolerance"
    ? "INVALID_SLIPPAGE_TOLERANCE"
    : "INVALID_REQUEST"

const faultsOfIssue = (issue: SchemaIssue.Issue): ReadonlyArray<QuoteRefused> =>
  listFaults(issue, "body").map(({ field, message }) =>
    new QuoteRefused({ code: decodeFailureCode(field), field, message })
  )

/** Every fault of a body that does not decode; the code and the field are those of the first. */
export const refusalOfIssue = (issue: SchemaIssue.Issue): QuoteRefused => refuseAll(faultsOfIssue(issue))

const ends = Schema.Struct({
  originChainId: Schema.optionalKey(QuoteRequest.fields.originChainId),
  destinationChainId: Schema.optionalKey(QuoteRequest.fields.destinationChainId),
  originCurrency: Schema.optionalKey(QuoteRequest.fields.originCurrency),
  destinationCurrency: Schema.optionalKey(QuoteRequest.fields.destinationCurrency),
  user: Schema.optionalKey(QuoteRequest.fields.user),
  recipient: QuoteRequest.fields.recipient,
  refundTo: QuoteRequest.fields.refundTo,
  recoveryAddress: QuoteRequest.fields.recoveryAddress,
  depositFeePayer: QuoteRequest.fields.depositFeePayer,
  appFees: QuoteRequest.fields.appFees
})

/** The fields that name chains, currencies and addresses, without those that do not decode. */
const decodeEnds = (body: object, undecoded: ReadonlySet<string>): Result.Result<typeof ends.Type, unknown> =>
  Schema.decodeUnknownResult(ends)(
    Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== undefined && !undecoded.has(name)))
  )

/**
 * The same of a body on its way to these chains: what its other fields name is looked up as well, so that an address
 * with a typing error is told together with a missing amount.
 */
export const refuseBody = (issue: SchemaIssue.Issue, body: unknown, chains: ReadonlyArray<Chain>): QuoteRefused => {
  const faults = faultsOfIssue(issue)
  if (typeof body !== "object" || body === null) return refuseAll(faults)
  const undecoded = new Set(faults.map(({ field = "" }) => field.split(".")[0] ?? ""))
  const decoded = decodeEnds(body, undecoded)
  if (Result.isFailure(decoded)) return refuseAll(faults)
  return refuseAll(gatherFaults([Result.fail(faults), ...checkEnds(decoded.success, chains)]))
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
