/**
 * What surrounds an answer ahead of the router: the middleware that concerns it, in the same order, and made of the same
 * functions, so that the answers are the same to the byte. Tests compare them.
 */
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { withHelpLink } from "../../http/HelpLink.ts"
import { withJsonErrors } from "../../http/JsonErrors.ts"
import { observedBy } from "../../http/RequestObservation.ts"
import type { Shutdown } from "../../http/Shutdown.ts"
import type { CallerOf, KnownCaller } from "../middleware/Caller.ts"
import { readHeaders } from "../middleware/Cors.ts"
import type { Limited } from "../middleware/RateLimit.ts"

export const oneHeader = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "string" ? header : undefined

/** What the client's address and key are read from. */
export const callerIn = ({ headers, socket }: IncomingMessage) => ({
  remoteAddress: Option.fromUndefinedOr(socket.remoteAddress),
  headers: {
    "x-api-key": oneHeader(headers["x-api-key"]),
    "x-forwarded-for": oneHeader(headers["x-forwarded-for"])
  }
})

/** The body of `Unavailable`. */
export const unavailable = ({ message }: StoreUnavailable) =>
  Effect.succeed(HttpServerResponse.jsonUnsafe({ message }, { status: 503 }))

export interface DirectSettings {
  /** The service's public URL. */
  readonly baseUrl: string
  readonly callerOf: CallerOf
  readonly limited: Limited
  readonly ending: Shutdown["Service"]
  /** As of the router's access lines. */
  readonly accessRatio: number
}

/** A request whose route is known, which is its path as declared. */
export interface DirectRequest {
  readonly request: IncomingMessage
  readonly method: "GET" | "POST"
  readonly path: string
}

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

/** Begins to observe a request, and returns what makes an answer of its handler. */
export const makeFrame = ({ accessRatio, baseUrl, callerOf, ending, limited }: DirectSettings) => {
  const observed = observedBy(accessRatio)
  const withDocs = withHelpLink(baseUrl)
  // Read when the answer exists, as `withShutdown` does.
  const others = () => ending.hasBegun() ? { connection: "close", ...readHeaders } : readHeaders
  return ({ method, path, request }: DirectRequest) => {
    const observation = observed(
      { method, route: path, inboundId: oneHeader(request.headers["x-request-id"]) },
      others
    )
    return {
      answer: (handler: (caller: KnownCaller) => Answer): Answer =>
        observation(withDocs(withJsonErrors(
          Effect.flatMap(callerOf(callerIn(request)), (caller) => limited(path, caller, handler(caller)))
        ))),
      /** For a client that left before there was an answer. */
      left: observation(Effect.interrupt)
    }
  }
}
