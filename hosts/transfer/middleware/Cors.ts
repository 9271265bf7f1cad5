/**
 * Cross-origin use by any page: no decision depends on a cookie, so there is nothing that an origin could steal. All
 * requested headers are allowed (clients send x-api-key, idempotency-key and their own tracing headers). Only the
 * dashboard has a cookie, and it is for its own page alone.
 */
import { Effect } from "effect"
import { HttpMiddleware, HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import { pathOf } from "../../http/PathOf.ts"

const exposedHeaders = [
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "Allow",
  "Idempotent-Replayed",
  "X-Request-Id",
  "ETag",
  "Link"
]

const cors = HttpMiddleware.cors({
  allowedMethods: ["GET", "HEAD", "POST", "DELETE"],
  exposedHeaders,
  maxAge: 7200
})

/** What `withCors` adds to the answer of a GET: the same for every page. */
export const readHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposedHeaders.join(",")
}

export const withCors = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) => pathOf(request).startsWith("/dashboard") ? app : cors(app)
  )
