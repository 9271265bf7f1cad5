/**
 * Whether the order's calls were executed in order (CLAIM-3).
 *
 * Only calls by the order's own router count, each once. The router may make other calls in between.
 */
import * as Result from "effect/Result"
import type { Address } from "../../chain/Address.ts"
import type { Hex } from "../../encoding/Hex.ts"
import { encodeRouterCall } from "../../order/RouterCall.ts"
import { type Refusal, refuse } from "./Refusal.ts"
import type { TransactionEvidence } from "../TransactionEvidence.ts"

/** `calls` as the order encodes them. An order without calls always passes. One with calls needs a router. */
export const executesInOrder = (
  evidence: TransactionEvidence,
  router: Address | undefined,
  calls: ReadonlyArray<Hex>
): Result.Result<void, Refusal> => {
  let next = 0
  for (const call of evidence.routerCalls) {
    if (router === undefined || call.router !== router) continue
    const encoded = encodeRouterCall(call)
    if (Result.isSuccess(encoded) && encoded.success === calls[next]) next++
  }
  return next >= calls.length ? Result.succeed(undefined) : refuse("calls-not-executed", `${next} of ${calls.length}`)
}
