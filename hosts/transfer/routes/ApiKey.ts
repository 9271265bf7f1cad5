/** An API key is never taken for none (spec/3 §8): this version knows no keys, so each that is sent is unknown. */
import { Effect } from "effect"
import { pathOfErrorPage } from "../ErrorPages.ts"
import { QuoteUnauthorized } from "../api/QuoteErrors.ts"

export const refuseUnknownKey = (headers: { readonly "x-api-key"?: string }): Effect.Effect<void, QuoteUnauthorized> =>
  headers["x-api-key"] === undefined || headers["x-api-key"] === ""
    ? Effect.void
    : Effect.fail(
      new QuoteUnauthorized({
        message: "the x-api-key is unknown or revoked; leave the header out to go without",
        errorCode: "UNAUTHORIZED",
        statusCode: 401,
        retryable: false,
        docs: pathOfErrorPage("UNAUTHORIZED")
      })
    )
