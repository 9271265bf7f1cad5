/**
 * A client's own check of a quote before it pays: steps ↔ order id ↔ order ↔ request, and the solver's signature.
 *
 * Pure and total: garbage gives findings, never a throw. SECURITY: pay only when `ok` is true. What this version cannot
 * judge is `unchecked` and makes `ok` false. The quote must hold its protocol data (includeProtocolData).
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Chain } from "../../chain/Chain.ts"
import { networkOfAddresses } from "../../chain/AddressNetwork.ts"
import { findChainBySlug } from "../../chain/Chain.ts"
import type { ChainSlug } from "../../chain/ChainId.ts"
import { HexFromString } from "../../encoding/Hex.ts"
import { isSignedBy } from "../../encoding/Signature.ts"
import { canonicalOrder } from "../../order/CanonicalOrder.ts"
import { Order } from "../../order/Order.ts"
import type { OrderId } from "../../order/Order.ts"
import { orderId } from "../../order/OrderId.ts"
import { QuoteRequest } from "../request/QuoteRequest.ts"
import { defaultLimits } from "../request/RequestLimits.ts"
import type { RequestLimits } from "../request/RequestLimits.ts"
import { resolveRequest } from "../request/ResolveRequest.ts"
import { Quote } from "../wire/Quote.ts"
import { swapsInItself } from "../../swap/FillSwap.ts"
import { isOriginSwap } from "../OriginSwap.ts"
import { isDestinationSwap } from "../UserSwap.ts"
import { check, checkEqual, unchecked } from "./Check.ts"
import type { Check } from "./Check.ts"
import { verifyFigures } from "./VerifyFigures.ts"
import { verifyOrder } from "./VerifyOrder.ts"
import type { OrderExpectation } from "./VerifyOrder.ts"
import { verifyOriginSwap } from "./VerifyOriginSwap.ts"
import { verifyBookkeeping } from "./StepVerifier.ts"

/** What the client knows itself and compares the quote with. */
export interface QuoteExpectation extends OrderExpectation {
  /** The chains as the client knows them: depositories, routers, currencies. Never taken from the quote. */
  readonly chains: ReadonlyArray<Chain>
  readonly limits?: RequestLimits
}

/** Whether to pay, and what was checked. */
export interface Verification {
  /** True when everything was checked and nothing failed. */
  readonly ok: boolean
  readonly checks: ReadonlyArray<Check>
}

const verdict = (checks: ReadonlyArray<Check>): Verification => ({
  ok: checks.every(({ outcome }) => outcome === "ok"),
  checks
})

const failed = (name: string, found: string): Verification => verdict([check(name, false, found.slice(0, 400))])

const decodeQuote = Schema.decodeUnknownResult(Quote)
const decodeRequest = Schema.decodeUnknownResult(QuoteRequest)
const decodeOrder = Schema.decodeUnknownResult(Order)
const decodeSignature = Schema.decodeUnknownResult(HexFromString)

const verifySignature = (id: OrderId, text: string, solver: string): Check => {
  const signature = decodeSignature(text)
  return check("signature", Result.isSuccess(signature) && isSignedBy(id, signature.success, solver), `by ${solver}`)
}

/** `quote` is the answer as it came, `body` the request as it was sent. */
export const verifyQuote = (quote: unknown, body: unknown, expected: QuoteExpectation): Verification => {
  const { chains, limits = defaultLimits, solver } = expected
  const answer = decodeQuote(quote)
  if (Result.isFailure(answer)) return failed("quote", String(answer.failure))
  const sent = decodeRequest(body)
  if (Result.isFailure(sent)) return failed("request", String(sent.failure))
  const request = resolveRequest(sent.success, chains, limits)
  if (Result.isFailure(request)) return failed("request", request.failure.message)
  if (isDestinationSwap(request.success) && !swapsInItself(request.success.destination.family)) {
    return verdict([unchecked("order", "an order whose calls swap what it pays is not verified by this version")])
  }
  const { protocol, steps } = answer.success
  if (protocol === undefined) return failed("protocol data", "none: ask with includeProtocolData")
  const familyOf = (slug: ChainSlug) => findChainBySlug(chains, slug)?.family
  const network = networkOfAddresses([request.success.origin, request.success.destination])
  const decoded = decodeOrder(protocol.v2.orderData)
  if (Result.isFailure(decoded)) return failed("order", String(decoded.failure))
  const order = canonicalOrder(decoded.success, familyOf, network)
  const id = orderId(decoded.success, familyOf, network)
  if (Result.isFailure(order)) return failed("order", order.failure.message)
  if (Result.isFailure(id)) return failed("order", id.failure.message)
  const { family: { stepVerifier: verifier }, name } = request.success.origin
  return verdict([
    checkEqual("order id", protocol.v2.orderId, id.success),
    verifySignature(id.success, protocol.v2.orderSignature, solver),
    ...(isOriginSwap(request.success) ?
      verifyOriginSwap(
        answer.success,
        protocol,
        order.success,
        id.success,
        request.success,
        expected,
        verifier
      ) :
      [
        ...verifyOrder(order.success, request.success, expected),
        ...verifyBookkeeping(steps),
        ...(verifier?.steps(steps, {
          request: request.success,
          orderId: id.success,
          amount: order.success.inputs[0]?.payment.amount ?? 0n,
          least: order.success.output.payments[0]?.minimumAmount ?? 0n,
          explicitDeposit: sent.success.explicitDeposit ?? true
        }) ?? [unchecked("steps", `transactions of ${name} are not verified by this version`)]),
        ...verifyFigures(answer.success, protocol, order.success, request.success, sent.success, verifier)
      ])
  ])
}
