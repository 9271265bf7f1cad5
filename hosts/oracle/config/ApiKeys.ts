/**
 * API keys of the oracle (ORACLE-3, CONFIG-7, SIGNER-3): `<key>:<label>` or `<key>|<label>`, separated by `;`. A
 * caller's key is checked before any other part of its request, by a comparison that always takes the same time.
 */
import { Effect, Redacted, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import { Problem } from "../../configuration/Variables.ts"
import { pathOf } from "../../http/PathOf.ts"
import { noteCaller } from "../../http/RequestNotes.ts"

export interface ApiKey {
  readonly key: Redacted.Redacted
  /** Shown in logs and metrics; the key never is. */
  readonly label: string
}

const entryOf = (entry: string): ApiKey | undefined => {
  const at = entry.search(/[:|]/u)
  const key = (at < 0 ? entry : entry.slice(0, at)).trim()
  return key === "" ? undefined : { key: Redacted.make(key), label: at < 0 ? "" : entry.slice(at + 1).trim() }
}

/** Parses API_KEYS. An empty or repeated key is a problem, a trailing `;` is not. */
export const parseApiKeys = (text: string): Result.Result<ReadonlyArray<ApiKey>, Problem> => {
  const entries = text.replace(/;\s*$/, "").split(";").map(entryOf)
  const keys = entries.flatMap((entry) => entry === undefined ? [] : [entry])
  if (keys.length < entries.length) return Result.fail(new Problem({ message: "API_KEYS has an empty key" }))
  const distinct = new Set(keys.map(({ key }) => Redacted.value(key)))
  return distinct.size < keys.length
    ? Result.fail(new Problem({ message: "API_KEYS has the same key twice" }))
    : Result.succeed(keys)
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** The entry of a known key. All keys are compared, as digests of equal length, so that the time reveals nothing. */
export const makeFindKey = (keys: ReadonlyArray<ApiKey>): (given: string) => ApiKey | undefined => {
  const entries = keys.map((entry) => ({ entry, digest: digest(Redacted.value(entry.key)) }))
  return (given) => {
    const own = digest(given)
    return entries.reduce<ApiKey | undefined>(
      (found, each) => timingSafeEqual(each.digest, own) ? each.entry : found,
      undefined
    )
  }
}

/** What says nothing but what the oracle is and how it is asked. */
const open: ReadonlySet<string> = new Set(["/", "/lives/v1", "/openapi.json", "/documentation"])

const isOpen = (path: string): boolean => open.has(path) || path.startsWith("/documentation/")

/** Prometheus before version 3 can send no header of its own: for its page the key may be a bearer token. */
const keyOf = (request: HttpServerRequest.HttpServerRequest): string =>
  request.headers["x-api-key"] ??
    (pathOf(request) === "/metrics"
      ? /^Bearer (.+)$/iu.exec(request.headers["authorization"] ?? "")?.[1]
      : undefined) ??
    ""

const unauthorized = HttpServerResponse.jsonUnsafe({ error: "Unauthorized" }, { status: 401 })

/** Without keys every caller is admitted. The label of the presented key is recorded as the caller. */
export const withApiKeys = (keys: ReadonlyArray<ApiKey> | undefined) => {
  const findKey = keys === undefined ? undefined : makeFindKey(keys)
  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      if (findKey === undefined || isOpen(pathOf(request))) return app
      const known = findKey(keyOf(request))
      return known === undefined ? Effect.succeed(unauthorized) : Effect.andThen(noteCaller(known.label), app)
    })
}
