/**
 * Cross-origin use by any page: nothing here is decided by a cookie, so there is nothing that an origin could steal.
 * Asked-for headers are all allowed (clients send x-api-key, idempotency-key and tracing headers of their own).
 */
import { HttpMiddleware } from "effect/http"

export const withCors = HttpMiddleware.cors({
  allowedMethods: ["GET", "HEAD", "POST", "DELETE"],
  exposedHeaders: ["Retry-After", "RateLimit", "RateLimit-Policy", "Allow", "Idempotent-Replayed", "X-Request-Id"],
  maxAge: 7200
})
