/** The caller's key, or the contract's 401 (WIRE-12). `KnownKeys` looks the key up, once for each request. */
import { Effect } from "effect"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { ApiKey } from "../../../src/domain/api-key/ApiKey.ts"
import { pathOfErrorPage } from "../endpoints/ErrorPages.ts"
import { QuoteUnauthorized } from "../endpoints/quote/QuoteErrors.ts"
import { Caller } from "./Caller.ts"
import type { KnownCaller } from "./Caller.ts"

/** Shape B: the request needs a key, or another one. */
export const unauthorized = (message: string) =>
  new QuoteUnauthorized({
    message,
    errorCode: "UNAUTHORIZED",
    statusCode: 401,
    retryable: false,
    docs: pathOfErrorPage("UNAUTHORIZED")
  })

export const keyOf = (caller: KnownCaller): Effect.Effect<ApiKey | undefined, QuoteUnauthorized | StoreUnavailable> => {
  switch (caller._tag) {
    case "Key":
      return Effect.succeed(caller.key)
    case "Address":
      return Effect.undefined
    case "UnknownKey":
      return Effect.fail(unauthorized(caller.failure.message))
    case "UncheckedKey":
      return Effect.fail(caller.failure)
  }
}

/** Undefined for a caller without a key. A key that is unknown, or that the store could not look up, is refused. */
export const callersKey = Effect.flatMap(Caller, keyOf)

/** Like `callersKey`, where a key is required. `without` is the message for callers without one. */
export const neededKey = (without: string) =>
  Effect.flatMap(callersKey, (key) => key === undefined ? Effect.fail(unauthorized(without)) : Effect.succeed(key))
