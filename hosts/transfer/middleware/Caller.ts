/**
 * Who calls: a known API key, a client address, or an address with a key that nobody knows. The store is asked once a
 * request, for limits, for the Idempotency-Key and for the routes that take a key; a key counts as it was at that
 * moment.
 *
 * SECURITY: an unknown or revoked key has the limits of its address and no answers of anybody's, neither those that
 * were stored for the key nor those of a caller without one. When the store does not say, the limits are those of the
 * address, and whatever depends on the key is refused: the caller is never taken for one without.
 */
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { ApiKey } from "../../../src/domain/api-key/ApiKey.ts"
import type { KnownKeys, UnknownKey } from "../../../src/services/clients/KnownKeys.ts"
import type { ClientAddress } from "./ClientAddress.ts"

export type KnownCaller =
  | { readonly _tag: "Key"; readonly key: ApiKey }
  | { readonly _tag: "Address"; readonly address: string }
  | { readonly _tag: "UnknownKey"; readonly address: string; readonly failure: UnknownKey }
  | { readonly _tag: "UncheckedKey"; readonly address: string; readonly failure: StoreUnavailable }

export class Caller extends Context.Service<Caller, KnownCaller>()("causeway/transfer/Caller") {}

export const withCaller = (keys: KnownKeys["Service"], addressOf: ClientAddress) => {
  const callerOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<KnownCaller> => {
    const address = addressOf(request)
    return keys.identify(request.headers["x-api-key"]).pipe(
      Effect.map((key): KnownCaller => key === undefined ? { _tag: "Address", address } : { _tag: "Key", key }),
      Effect.catchTags({
        UnknownKey: (failure) => Effect.succeed<KnownCaller>({ _tag: "UnknownKey", address, failure }),
        StoreUnavailable: (failure) => Effect.succeed<KnownCaller>({ _tag: "UncheckedKey", address, failure })
      })
    )
  }
  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) => Effect.flatMap(callerOf(request), (caller) => Effect.provideService(app, Caller, caller))
    )
}
