/** Refusals with headers that a declared error cannot carry, in the declared bodies (endpoints/CommonErrors.ts). */
import { HttpServerResponse } from "effect/http"

/** Shape C of ERROR-1. `seconds`: when to retry. */
export const tooMany = (message: string, seconds: number, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe(
    { message, statusCode: 429, retryable: true, docs: "/documentation" },
    { status: 429, headers: { ...headers, "retry-after": `${Math.max(1, Math.ceil(seconds))}` } }
  )
