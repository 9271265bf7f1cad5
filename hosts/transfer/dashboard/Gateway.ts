/**
 * The dashboard's way to the API: `/dashboard/api/<route>` is the route itself, with the authority of the session
 * instead of a key or the admin token (DASH-3). So every rule of a route is written once, and the browser never holds a
 * secret.
 *
 * SECURITY: a change needs the session's CSRF token in a header, which only a page that can read our answers knows.
 * Before that, a request from another origin is refused by what browsers say of it, the sign-ins too: nobody can sign
 * somebody else in.
 */
import { Effect, Schema } from "effect"
import { Headers, HttpServerRequest, HttpServerResponse } from "effect/http"
import { timingSafeEqual } from "node:crypto"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { csrfToken } from "../../../src/domain/session/Session.ts"
import type { SessionSubject } from "../../../src/domain/session/Session.ts"
import type { OwningKeys } from "../../../src/services/clients/OwningKeys.ts"
import type { SigningIn } from "../../../src/services/clients/SigningIn.ts"
import { pathOf } from "../../http/PathOf.ts"
import { NOTHING_HERE } from "../../http/JsonErrors.ts"
import type { FoundRoute, RouteOf } from "../../http/Routes.ts"
import { segmentsOf } from "../../http/Segments.ts"
import { Caller } from "../middleware/Caller.ts"
import { Authority } from "./Authority.ts"
import type { GrantedAuthority } from "./Authority.ts"
import { CurrentSession } from "./CurrentSession.ts"
import { operatorMay, walletGrant } from "./Grants.ts"
import { sessionTextOf } from "./SessionCookie.ts"

const PREFIX = "/dashboard/api"

/** Routes without a session: they make one. */
const openRoutes: ReadonlySet<string> = new Set([
  "/dashboard/session/operator",
  "/dashboard/session/challenge",
  "/dashboard/session/wallet"
])

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE"])

/** The routes of the API, and all paths below `/dashboard/api` as one, so that telemetry names few routes. */
export const withGatewayRoute = (routeOf: RouteOf): RouteOf => (path) => {
  const known = routeOf(path)
  if (known !== undefined) return known
  const [dashboard, api, ...rest] = segmentsOf(path) ?? []
  return dashboard === "dashboard" && api === "api"
    ? { pattern: `${PREFIX}/*`, methods, path: `${PREFIX}/${rest.join("/")}` }
    : undefined
}

const refusal = (status: number, message: string) =>
  HttpServerResponse.jsonUnsafe({ message }, { status, headers: { "cache-control": "no-store" } })

const signInFirst = refusal(401, "sign in to the dashboard first")
const foreign = refusal(403, "the dashboard takes requests from its own page only")
const forbidden = refusal(403, "this session may not do that")
const unavailable = refusal(503, "the store does not answer now: try again")

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

/** What browsers say of a request: whether the page that made it is another origin's. Programs say nothing. */
const isForeign = ({ headers }: HttpServerRequest.HttpServerRequest, ownHost: string): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return true
  const origin = headers["origin"]
  if (origin === undefined) return false
  const host = /^https?:\/\/([^/]+)$/u.exec(origin)?.[1]
  return host !== headers["host"] && host !== ownHost
}

const decodeKeyId = Schema.decodeUnknownOption(ApiKeyId)

interface Call {
  readonly authority: GrantedAuthority
  readonly caller?: Caller["Service"]
}

export interface GatewaySettings {
  readonly signingIn: SigningIn["Service"]
  readonly owning: OwningKeys["Service"]
  /** The routes of the API. */
  readonly routeOf: RouteOf
  /** The host of the service's public address, which a proxy may replace in requests. */
  readonly ownHost: string
}

/** Inside of what names the caller, and outside of limits, so that a key's limits hold here, too. */
export const withGateway = ({ owning, ownHost, routeOf, signingIn }: GatewaySettings) => {
  /** What the session may do with this route; undefined when nothing. */
  const callOf = Effect.fnUntraced(
    function*(subject: SessionSubject, { path, pattern }: FoundRoute, request: HttpServerRequest.HttpServerRequest) {
      const route = `${request.method} ${pattern}`
      if (subject._tag === "Operator") {
        return operatorMay(route) ? { authority: { _tag: "Operator" } } satisfies Call : undefined
      }
      const { wallet } = subject
      const grant = walletGrant(route)
      if (grant === undefined) return undefined
      if (grant === "wallet") return { authority: { _tag: "Wallet", wallet, administers: false } } satisfies Call
      const named = grant === "id" ? path.split("/")[2] : request.headers["x-dashboard-key"]
      const id = decodeKeyId(named)
      const found = id._tag === "Some" ? yield* owning.find(wallet, id.value) : undefined
      if (found === undefined || (found.role === "payer" && grant !== "payer")) return undefined
      return grant === "id"
        ? { authority: { _tag: "Wallet", wallet, administers: true } } satisfies Call
        : {
          authority: { _tag: "Wallet", wallet, administers: false },
          caller: { _tag: "Key", key: found.key }
        } satisfies Call
    }
  )

  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
    const forward = Effect.fnUntraced(
      function*(subject: SessionSubject, request: HttpServerRequest.HttpServerRequest) {
        const url = request.url.slice(PREFIX.length)
        const route = routeOf(url.split("?")[0] ?? "")
        if (route === undefined) return refusal(404, NOTHING_HERE)
        const call: Call | undefined = yield* callOf(subject, route, request)
        if (call === undefined) return forbidden
        // An Idempotency-Key would store the answer where a caller without this session finds it.
        const headers = Headers.remove(request.headers, "idempotency-key")
        const query = /\?.*$/u.exec(url)?.[0] ?? ""
        const inner = app.pipe(
          Effect.provideService(
            HttpServerRequest.HttpServerRequest,
            request.modify({ url: route.path + query, headers })
          ),
          Effect.provideService(Authority, call.authority)
        )
        return yield* call.caller === undefined ? inner : Effect.provideService(inner, Caller, call.caller)
      }
    )

    const ofDashboard = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest, path: string) {
      const isApi = path.startsWith(`${PREFIX}/`)
      if (!isApi && !/^\/dashboard\/(?:session|keys|costs)/u.test(path)) return yield* app
      if (isForeign(request, ownHost)) return foreign
      const text = sessionTextOf(request)
      const session = text === undefined ? undefined : yield* signingIn.find(text)
      if (text === undefined || session === undefined) return isApi ? signInFirst : yield* app
      const changes = request.method !== "GET" && request.method !== "HEAD" && !openRoutes.has(path)
      if (changes && !isEqual(request.headers["x-dashboard-csrf"] ?? "", csrfToken(text))) return foreign
      const answer = isApi
        ? yield* forward(session.subject, request)
        : yield* Effect.provideService(app, CurrentSession, { session, text })
      return HttpServerResponse.setHeader(answer, "cache-control", "no-store")
    })

    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const path = pathOf(request)
      return path.startsWith("/dashboard") ? ofDashboard(request, path) : app
    }).pipe(Effect.catchTag("StoreUnavailable", () => Effect.succeed(unavailable)))
  }
}
