/**
 * Protects the admin routes: callers must send ADMIN_TOKEN as `Authorization: Bearer`. Without such a token in the
 * environment the routes answer 404, as if they did not exist. A session of the dashboard stands in for the token where
 * `Gateway` says so.
 *
 * SECURITY: digests are compared, in constant time, so that timing reveals neither content nor length of the token.
 */
import { Effect, Layer, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import { Authority, isAdministrator } from "../dashboard/Authority.ts"
import { Admin, AdminUnauthorized, NotFound } from "../endpoints/pauses/PausesApi.ts"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** True when the text is the admin token. */
export const isAdminToken = (token: Redacted.Redacted, text: string): boolean =>
  timingSafeEqual(digest(text), digest(Redacted.value(token)))

const nothingHere = new NotFound({ message: "not found; GET /documentation lists all routes" })
const unauthorized = new AdminUnauthorized({ message: "send the admin token as Authorization: Bearer" })

export const layer = (token: Redacted.Redacted | undefined) =>
  Layer.succeed(Admin, {
    adminToken: (handler, { credential }) =>
      Effect.gen(function*() {
        if (isAdministrator(yield* Authority)) return yield* handler
        if (token === undefined) return yield* nothingHere
        return yield* isAdminToken(token, Redacted.value(credential)) ? handler : unauthorized
      })
  })
