/**
 * Who calls: a known API key, a client address, or an address with a key that nobody knows. Asked once a request, for its
 * limits and for its Idempotency-Key, whatever its route makes of the key.
 *
 * SECURITY: an unknown or revoked key has the limits of its address and no answers of anybody's, neither those that were
 * stored for the key nor those of a caller without one. When the store does not say, the caller is its address: the
 * routes that need the key ask again, and refuse.
 */
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { KnownKeys } from "../../../src/services/KnownKeys.ts"
import type { ClientAddress } from "./ClientAddress.ts"

export type CallerId =
  | { readonly _tag: "Key"; readonly id: ApiKeyId }
  | { readonly _tag: "Address"; readonly address: string }
  | { readonly _tag: "UnknownKey"; readonly address: string }

export class Caller extends Context.Service<Caller, CallerId>()("causeway/transfer/Caller") {}

export const withCaller = (keys: KnownKeys["Service"], addressOf: ClientAddress) => {
  const callerOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<CallerId> => {
    const address = addressOf(request)
    return keys.identify(request.headers["x-api-key"]).pipe(
      Effect.map((key): CallerId => key === undefined ? { _tag: "Address", address } : { _tag: "Key", id: key.id }),
      Effect.catchTags({
        UnknownKey: () => Effect.succeed<CallerId>({ _tag: "UnknownKey", address }),
        StoreUnavailable: () => Effect.succeed<CallerId>({ _tag: "Address", address })
      })
    )
  }
  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.flatMap(callerOf(request), (caller) => Effect.provideService(app, Caller, caller)))
}
