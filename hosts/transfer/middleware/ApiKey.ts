/** The key of the caller, or the 401 of the contract; which keys are known is `KnownKeys`' to say, once a request. */
import { Effect } from "effect"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { ApiKey } from "../../../src/domain/api-key/ApiKey.ts"
import { pathOfErrorPage } from "../endpoints/ErrorPages.ts"
import { QuoteUnauthorized } from "../endpoints/quote/QuoteErrors.ts"
import { Caller } from "./Caller.ts"
import type { KnownCaller } from "./Caller.ts"

/** Shape B: what is asked for needs a key, or another one. */
export const unauthorized = (message: string) =>
  new QuoteUnauthorized({
    message,
    errorCode: "UNAUTHORIZED",
    statusCode: 401,
    retryable: false,
    docs: pathOfErrorPage("UNAUTHORIZED")
  })

const keyOf = (caller: KnownCaller): Effect.Effect<ApiKey | undefined, QuoteUnauthorized | StoreUnavailable> => {
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

/** Undefined for a caller that sends no key; one that is unknown, or that the store did not tell of, is refused. */
export const callersKey = Effect.flatMap(Caller, keyOf)

/** The same where a key is needed; `without` says so to a caller that sends none. */
export const neededKey = (without: string) =>
  Effect.flatMap(callersKey, (key) => key === undefined ? Effect.fail(unauthorized(without)) : Effect.succeed(key))
