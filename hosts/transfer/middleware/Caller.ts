/**
 * The caller: a known API key, a client address, or an address with an unknown key. The store is asked once for each
 * request, for limits, for the Idempotency-Key and for the routes that take a key. A key counts as it was at that
 * moment.
 *
 * SECURITY: a caller with an unknown or revoked key gets the limits of its address, and no stored answer: neither the
 * key's nor those of callers without a key. When the store does not answer, the limits of the address apply and
 * everything that depends on the key is refused. Such a caller is never treated as one without a key.
 */
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { ApiKey } from "../../../src/domain/api-key/ApiKey.ts"
import type { KnownKeys, UnknownKey } from "../../../src/services/clients/KnownKeys.ts"
import type { AddressedRequest, ClientAddress } from "./ClientAddress.ts"

export type KnownCaller =
  | { readonly _tag: "Key"; readonly key: ApiKey }
  | { readonly _tag: "Address"; readonly address: string }
  | { readonly _tag: "UnknownKey"; readonly address: string; readonly failure: UnknownKey }
  | { readonly _tag: "UncheckedKey"; readonly address: string; readonly failure: StoreUnavailable }

export class Caller extends Context.Service<Caller, KnownCaller>()("causeway/transfer/Caller") {}

/** Finds the caller of a request. */
export const makeCallerOf = (keys: KnownKeys["Service"], addressOf: ClientAddress) =>
(
  request: AddressedRequest
): Effect.Effect<KnownCaller> => {
  const address = addressOf(request)
  const text = request.headers["x-api-key"]
  if (text === undefined) return Effect.succeed({ _tag: "Address", address })
  return keys.identify(text).pipe(
    Effect.map((key): KnownCaller => key === undefined ? { _tag: "Address", address } : { _tag: "Key", key }),
    Effect.catchTags({
      UnknownKey: (failure) => Effect.succeed<KnownCaller>({ _tag: "UnknownKey", address, failure }),
      StoreUnavailable: (failure) => Effect.succeed<KnownCaller>({ _tag: "UncheckedKey", address, failure })
    })
  )
}
export type CallerOf = ReturnType<typeof makeCallerOf>

export const withCaller =
  (callerOf: CallerOf) => <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) => Effect.flatMap(callerOf(request), (caller) => Effect.provideService(app, Caller, caller))
    )
