/**
 * The cookie of a session.
 *
 * SECURITY: HttpOnly, so no script reads it, and SameSite=Strict, so no other site's page sends it. The prefix `__Host-`
 * binds it to this host and to https. Browsers refuse such cookies over plain http, so on this machine (a loopback
 * name), and only there, the cookie has another name and is sent over http.
 */
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"

const loopback = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?$/u

interface Named {
  readonly name: string
  readonly secure: boolean
}

const cookieOf = ({ headers }: HttpServerRequest.HttpServerRequest): Named =>
  loopback.test(headers["host"] ?? "")
    ? { name: "causeway-dashboard", secure: false }
    : { name: "__Host-causeway-dashboard", secure: true }

/** The text of the session that the browser sent, if it sent one. */
export const sessionTextOf = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  request.cookies[cookieOf(request).name]

/** The answer, with a cookie that holds the session. `milliseconds`: how long it lasts. */
export const withSession = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  text: string,
  milliseconds: number
) => {
  const { name, secure } = cookieOf(request)
  return HttpServerResponse.setCookieUnsafe(response, name, text, {
    path: "/",
    httpOnly: true,
    sameSite: "strict",
    secure,
    maxAge: milliseconds
  })
}

/** The answer, after which the browser has no session. */
export const withoutSession = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
) => withSession(request, response, "", 0)
