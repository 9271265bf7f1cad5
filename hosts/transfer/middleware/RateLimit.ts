/**
 * Limits of callers (WIRE-13). By client address: one bucket for /quote and /price together, and one for all other
 * routes. With an API key: one bucket for /quote and /price, one for /requests, and one for all other routes. An unknown
 * key counts as its address. Health and metrics are for operators and have no limit. Refusals are 429 in shape C. Every
 * answer says how much is left (draft RateLimit headers).
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Caller } from "./Caller.ts"
import type { KnownCaller } from "./Caller.ts"
import type { Bucket, Limits, Verdict } from "./Limits.ts"
import { pathOf } from "../../http/PathOf.ts"
import { tooMany } from "./Refusals.ts"

/** How many requests a caller may make. An undefined limit is off. */
export interface RateLimits {
  readonly quotesPerMinute: number | undefined
  readonly othersPerMinute: number | undefined
  /** With a key: for /quote and /price together, and as many for /requests. */
  readonly keyQuotesPerSecond: number | undefined
  readonly keyOthersPerMinute: number | undefined
}

const free: ReadonlySet<string> = new Set(["/lives", "/ready", "/metrics"])

type Kind = "quote" | "requests" | "other"

const kindOf = (path: string): Kind => {
  // A price reads and simulates what a quote does.
  if (path === "/quote" || path === "/quote/v2" || path === "/price") return "quote"
  return path === "/requests" || path.startsWith("/requests/") ? "requests" : "other"
}

interface Limit {
  readonly name: string
  readonly limit: number | undefined
  readonly unit: "second" | "minute"
  readonly whose: string
}

const limitOf = (limits: RateLimits, caller: KnownCaller, kind: Kind): Limit => {
  if (caller._tag === "Key") {
    const whose = `key:${caller.key.id}`
    return kind === "other"
      ? { name: kind, limit: limits.keyOthersPerMinute, unit: "minute", whose }
      : { name: kind, limit: limits.keyQuotesPerSecond, unit: "second", whose }
  }
  return kind === "quote"
    ? { name: kind, limit: limits.quotesPerMinute, unit: "minute", whose: caller.address }
    : { name: "other", limit: limits.othersPerMinute, unit: "minute", whose: caller.address }
}

/** The RateLimit headers of a bucket. `windowSeconds` defaults to a minute. */
export const rateLimitHeaders = (name: string, { limit, remaining, seconds }: Verdict, windowSeconds = 60) => ({
  "ratelimit-policy": `"${name}";q=${limit};w=${windowSeconds}`,
  ratelimit: `"${name}";r=${remaining};t=${seconds}`
})

/** Limits a request to a path, by its caller. */
export const makeLimited = (limits: RateLimits, limiter: Limits["Service"]) =>
<E, R>(
  path: string,
  caller: KnownCaller,
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> => {
  const { limit, name, unit, whose } = limitOf(limits, caller, kindOf(path))
  if (limit === undefined || free.has(path)) return app
  const bucket: Bucket = { key: `${name}:${whose}`, limit, window: `1 ${unit}` }
  return Effect.flatMap(limiter.take(bucket), (verdict) => {
    const headers = rateLimitHeaders(name, verdict, unit === "second" ? 1 : 60)
    if (verdict.allowed) return Effect.map(app, (answer) => HttpServerResponse.setHeaders(answer, headers))
    return Effect.succeed(tooMany(
      `more than ${limit} requests a ${unit}: try again in ${verdict.seconds} s`,
      verdict.seconds,
      headers
    ))
  })
}
export type Limited = ReturnType<typeof makeLimited>

export const withRateLimit =
  (limited: Limited) => <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) => Effect.flatMap(Caller, (caller) => limited(pathOf(request), caller, app))
    )
