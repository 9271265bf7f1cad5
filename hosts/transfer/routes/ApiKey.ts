/** The key of a request, or the 401 of the contract; which keys are known is `KnownKeys`' to say. */
import { Effect } from "effect"
import type { KnownKeys, UnknownKey } from "../../../src/services/KnownKeys.ts"
import { pathOfErrorPage } from "../ErrorPages.ts"
import { QuoteUnauthorized } from "../api/QuoteErrors.ts"

export const unauthorized = ({ message }: Pick<UnknownKey, "message">) =>
  new QuoteUnauthorized({ message, errorCode: "UNAUTHORIZED", statusCode: 401, retryable: false, docs: pathOfErrorPage("UNAUTHORIZED") })

export const identify = (keys: KnownKeys["Service"], headers: { readonly "x-api-key"?: string }) =>
  Effect.catchTag(keys.identify(headers["x-api-key"]), "UnknownKey", (unknown) => Effect.fail(unauthorized(unknown)))
