/**
 * Limits by client address (spec/3 §8): /quote has a bucket of its own, all other routes share one. Health and metrics are
 * for operators and have none. Refusals are 429 in shape C; every answer says what is left (draft RateLimit headers).
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ClientAddress } from "./ClientAddress.ts"
import type { Limits, Verdict } from "./Limits.ts"
import { pathOf } from "../../http/Methods.ts"
import { tooMany } from "./Refusals.ts"

/** Requests a minute for a client address; a limit that is undefined is off. */
export interface RateLimits {
  readonly quotesPerMinute: number | undefined
  readonly othersPerMinute: number | undefined
}

const WINDOW_SECONDS = 60

const free: ReadonlySet<string> = new Set(["/lives", "/ready", "/metrics"])

/** The RateLimit headers of a bucket whose window is a minute. */
export const rateLimitHeaders = (name: string, { limit, remaining, seconds }: Verdict) => ({
  "ratelimit-policy": `"${name}";q=${limit};w=${WINDOW_SECONDS}`,
  ratelimit: `"${name}";r=${remaining};t=${seconds}`
})

export const withRateLimit = (limits: RateLimits, addressOf: ClientAddress, limiter: Limits["Service"]) =>
<E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const path = pathOf(request)
    const name = path === "/quote" || path === "/quote/v2" ? "quote" : "other"
    const limit = name === "quote" ? limits.quotesPerMinute : limits.othersPerMinute
    if (limit === undefined || free.has(path)) return app
    return Effect.flatMap(
      limiter.take({ key: `${name}:${addressOf(request)}`, limit, window: "1 minute" }),
      (verdict) =>
        verdict.allowed
          ? Effect.map(app, HttpServerResponse.setHeaders(rateLimitHeaders(name, verdict)))
          : Effect.succeed(tooMany(`more than ${limit} requests a minute: come again in ${verdict.seconds} s`, verdict.seconds, rateLimitHeaders(name, verdict)))
    )
  })
