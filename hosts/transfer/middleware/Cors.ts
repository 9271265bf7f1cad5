/**
 * Cross-origin use by any page: no decision depends on a cookie, so there is nothing that an origin could steal. All
 * requested headers are allowed (clients send x-api-key, idempotency-key and their own tracing headers).
 */
import { HttpMiddleware } from "effect/http"

export const withCors = HttpMiddleware.cors({
  allowedMethods: ["GET", "HEAD", "POST", "DELETE"],
  exposedHeaders: ["Retry-After", "RateLimit", "RateLimit-Policy", "Allow", "Idempotent-Replayed", "X-Request-Id"],
  maxAge: 7200
})
