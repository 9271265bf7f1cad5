/**
 * Protects the admin routes: callers must send ADMIN_TOKEN as `Authorization: Bearer`. Without such a token in the
 * environment the routes answer 404, as if they did not exist.
 *
 * SECURITY: digests are compared, in constant time, so that timing reveals neither content nor length of the token.
 */
import { Effect, Layer, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import { Admin, AdminUnauthorized, NotFound } from "../endpoints/pauses/PausesApi.ts"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const nothingHere = new NotFound({ message: "not found; GET /documentation lists all routes" })
const unauthorized = new AdminUnauthorized({ message: "send the admin token as Authorization: Bearer" })

export const layer = (token: Redacted.Redacted | undefined) =>
  Layer.succeed(Admin, {
    adminToken: (handler, { credential }) => {
      if (token === undefined) return Effect.fail(nothingHere)
      const isRight = timingSafeEqual(digest(Redacted.value(credential)), digest(Redacted.value(token)))
      return isRight ? handler : Effect.fail(unauthorized)
    }
  })
