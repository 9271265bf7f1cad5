/** A program that uses the dashboard's routes as its page does: a cookie, a CSRF token, and what a browser says. */
import { Effect, Schema } from "effect"
import type { PrivateKeyAccount } from "viem"
import { get } from "./Get.ts"
import type { Answer } from "./Get.ts"

const SessionAnswer = Schema.Struct({
  signedIn: Schema.NullOr(Schema.String),
  wallet: Schema.NullOr(Schema.String),
  csrf: Schema.NullOr(Schema.String),
  operators: Schema.Boolean
})
const decodeSession = Schema.decodeUnknownSync(SessionAnswer)
const decodeMessage = Schema.decodeUnknownSync(Schema.Struct({ message: Schema.String }))

type Heads = Readonly<Record<string, string>>

export interface DashboardSession {
  readonly cookie: string
  readonly csrf: string
}

/** A request with these headers alone. */
export const ask = (url: string, method: string, path: string, body?: unknown, headers: Heads = {}) =>
  get(`${url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

/** The headers of a session's requests. */
export const headersOf = ({ cookie, csrf }: DashboardSession): Heads => ({ cookie, "x-dashboard-csrf": csrf })

/** A request of a session. */
export const askAs = (
  url: string,
  session: DashboardSession,
  method: string,
  path: string,
  body?: unknown,
  headers: Heads = {}
) => ask(url, method, path, body, { ...headersOf(session), ...headers })

/** The session that a sign-in's answer starts. */
export const sessionOf = (answer: Answer): DashboardSession => ({
  cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "",
  csrf: decodeSession(answer.json()).csrf ?? ""
})

/** The message that a wallet is asked to sign to sign in. */
export const challengeOf = Effect.fnUntraced(function*(url: string, wallet: string) {
  return decodeMessage((yield* ask(url, "POST", "/dashboard/session/challenge", { wallet })).json()).message
})

/** Signs in with a wallet. */
export const signInWallet = Effect.fnUntraced(function*(url: string, account: PrivateKeyAccount) {
  const message = yield* challengeOf(url, account.address)
  const signature = yield* Effect.promise(() => account.signMessage({ message }))
  return sessionOf(yield* ask(url, "POST", "/dashboard/session/wallet", { message, signature }))
})

/** Signs in with the admin token. */
export const signInOperator = (url: string, token: string) =>
  Effect.map(ask(url, "POST", "/dashboard/session/operator", { token }), sessionOf)
