/** The dashboard's own routes: signing in and out, and the keys of a wallet. */
import { Clock, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { SignInRefused } from "../../../src/domain/api-key/SignInRefused.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { dateOf, dayOf, utcDay } from "../../../src/domain/calendar/Day.ts"
import { csrfToken } from "../../../src/domain/session/Session.ts"
import type { Session } from "../../../src/domain/session/Session.ts"
import { SponsoredCosts } from "../../../src/services/app-balance/SponsoredCosts.ts"
import type { CostsOfSpan } from "../../../src/services/app-balance/SponsoredCosts.ts"
import { OwningKeys } from "../../../src/services/clients/OwningKeys.ts"
import type { KeyRefused, WalletKey } from "../../../src/services/clients/OwningKeys.ts"
import { SigningIn } from "../../../src/services/clients/SigningIn.ts"
import type { StartedSession } from "../../../src/services/clients/SigningIn.ts"
import type { SignedMessage } from "../../../src/services/clients/WalletMessages.ts"
import { pathOfErrorPage } from "../endpoints/ErrorPages.ts"
import { keyRow } from "../endpoints/keys/KeysRoutes.ts"
import { BadRequest, Unavailable } from "../endpoints/quote/QuoteErrors.ts"
import { secretAnswer } from "../endpoints/SecretAnswer.ts"
import { inputErrors } from "../endpoints/status/StatusRoutes.ts"
import { SignInBadRequest } from "../endpoints/wallets/WalletsApi.ts"
import { isAdminToken } from "../middleware/AdminToken.ts"
import { Client } from "../middleware/Client.ts"
import { Limits } from "../middleware/Limits.ts"
import { tooMany } from "../middleware/Refusals.ts"
import { CurrentSession } from "./CurrentSession.ts"
import { DashboardApi, NotSignedIn } from "./DashboardApi.ts"
import type { CostsAnswer, SessionRow, WalletKeyRow } from "./DashboardApi.ts"
import { withoutSession, withSession } from "./SessionCookie.ts"

/** Wrong admin tokens a minute from one address, in every environment. */
const OPERATOR_TRIES = 10

/** Days of costs that are shown at most, and when no day is named. */
const MOST_DAYS = 366
const USUAL_DAYS = 30

const costsRow = (first: number, last: number, { complete, costs }: CostsOfSpan): typeof CostsAnswer.Type => ({
  from: dateOf(first),
  to: dateOf(last),
  complete,
  total: costs.reduce((sum, { captured }) => sum + captured, 0n).toString(),
  costs: costs.map(({ captured, components, day, destinationChainId, key, originChainId, requests }) => ({
    day: dateOf(day),
    apiKeyId: key,
    originChainId,
    destinationChainId,
    requests,
    captured: captured.toString(),
    components: Object.fromEntries(Object.entries(components).map(([name, micros]) => [name, micros.toString()]))
  }))
})

const walletKeyRow = ({ role, ...kept }: WalletKey): WalletKeyRow => ({ ...keyRow(kept), role })

const onTheWire = (failure: StoreUnavailable | ChainUnavailable | SignInRefused | KeyRefused | NotSignedIn) => {
  switch (failure._tag) {
    case "NotSignedIn":
      return failure
    case "SignInRefused": {
      const { message, reason } = failure
      return new SignInBadRequest({ message, errorCode: reason, docs: pathOfErrorPage(reason) })
    }
    case "KeyRefused":
      return new BadRequest({ message: failure.message })
    default:
      return new Unavailable({ message: failure.message })
  }
}

/** As above, where no message of a wallet is judged. */
const readOnTheWire = (failure: StoreUnavailable | KeyRefused | NotSignedIn) => {
  if (failure._tag === "NotSignedIn") return failure
  return failure._tag === "KeyRefused"
    ? new BadRequest({ message: failure.message })
    : new Unavailable({ message: failure.message })
}

/** The wallet of the session, or the refusal. */
const sessionsWallet: Effect.Effect<Address, NotSignedIn> = Effect.flatMap(
  CurrentSession,
  (sent) =>
    sent?.session.subject._tag === "Wallet"
      ? Effect.succeed(sent.session.subject.wallet)
      : Effect.fail(new NotSignedIn({ message: "sign in with a wallet first" }))
)

export const layer = (adminToken: Redacted.Redacted | undefined) =>
  HttpApiBuilder.group(
    DashboardApi,
    "dashboard",
    Effect.fn(function*(handlers) {
      const signingIn = yield* SigningIn
      const owning = yield* OwningKeys
      const sponsored = yield* SponsoredCosts
      const limits = yield* Limits
      const { addressOf } = yield* Client
      const operators = adminToken !== undefined

      const row = (session: Session | undefined, text: string): SessionRow =>
        session === undefined
          ? { signedIn: null, wallet: null, csrf: null, expiresAt: null, operators }
          : {
            signedIn: session.subject._tag === "Operator" ? "operator" : "wallet",
            wallet: session.subject._tag === "Wallet" ? session.subject.wallet : null,
            csrf: csrfToken(text),
            expiresAt: new Date(session.expiresAt).toISOString(),
            operators
          }

      const answer = (body: SessionRow) =>
        HttpServerResponse.jsonUnsafe(body, { headers: { "cache-control": "no-store" } })

      /** The session that the browser had before ends: a shared machine keeps one at a time. */
      const opened = Effect.fnUntraced(function*({ text, ...session }: StartedSession) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const before = yield* CurrentSession
        if (before !== undefined) yield* signingIn.end(before.text)
        const secret = Redacted.value(text)
        return withSession(request, answer(row(session, secret)), secret, session.expiresAt - session.startedAt)
      })

      const session = Effect.fnUntraced(function*() {
        const sent = yield* CurrentSession
        return answer(row(sent?.session, sent?.text ?? ""))
      })

      const signInOperator = Effect.fn("http.signInOperator")(
        function*({ payload }: { readonly payload: { readonly token: string } }) {
          const request = yield* HttpServerRequest.HttpServerRequest
          const verdict = yield* limits.take({
            key: `operator-sign-in:${addressOf(request)}`,
            limit: OPERATOR_TRIES,
            window: "1 minute"
          })
          if (!verdict.allowed) return tooMany("too many sign-ins: wait a little", verdict.seconds)
          if (adminToken === undefined || !isAdminToken(adminToken, payload.token)) {
            return yield* new NotSignedIn({ message: "this is not the admin token of this service" })
          }
          return yield* opened(yield* signingIn.signInOperator)
        },
        Effect.mapError(readOnTheWire)
      )

      const challenge = Effect.fn("http.challengeSignIn")(
        function*({ payload }: { readonly payload: { readonly wallet: Address } }) {
          const { expiresAt, message } = yield* signingIn.challenge(payload.wallet)
          return { message, expiresAt: new Date(expiresAt).toISOString() }
        },
        Effect.mapError(readOnTheWire)
      )

      const signInWallet = Effect.fn("http.signInWallet")(
        function*({ payload }: { readonly payload: SignedMessage }) {
          return yield* opened(yield* signingIn.signInWallet(payload))
        },
        Effect.mapError(onTheWire)
      )

      const signOut = Effect.fn("http.signOut")(function*() {
        const sent = yield* CurrentSession
        if (sent !== undefined) yield* signingIn.end(sent.text)
        return withoutSession(yield* HttpServerRequest.HttpServerRequest, answer(row(undefined, "")))
      }, Effect.mapError(readOnTheWire))

      const keys = Effect.fn("http.walletKeys")(function*() {
        const all = yield* owning.all(yield* sessionsWallet)
        return { keys: all.map(walletKeyRow) }
      }, Effect.mapError(readOnTheWire))

      const createKey = Effect.fn("http.createWalletKey")(
        function*({ payload }: { readonly payload: { readonly label: string } }) {
          const { key, text } = yield* owning.create(yield* sessionsWallet, payload.label)
          return secretAnswer({ id: key.id, key: Redacted.value(text), label: key.label })
        },
        Effect.mapError(readOnTheWire)
      )

      const costs = Effect.fn("http.sponsoredCosts")(
        function*({ query }: { readonly query: { readonly from?: string; readonly to?: string } }) {
          const wallet = yield* sessionsWallet
          const last = query.to === undefined ? utcDay(yield* Clock.currentTimeMillis) : dayOf(query.to)
          const first = query.from === undefined ? (last ?? 0) - USUAL_DAYS + 1 : dayOf(query.from)
          if (first === undefined || last === undefined || first > last || last - first >= MOST_DAYS) {
            return yield* new BadRequest({ message: `from and to are dates, at most ${MOST_DAYS} days in all` })
          }
          return costsRow(first, last, yield* Effect.mapError(sponsored.between(wallet, first, last), readOnTheWire))
        }
      )

      return handlers.handleAll({ session, signInOperator, challenge, signInWallet, signOut, keys, createKey, costs })
    })
  ).pipe(Layer.provide(inputErrors))
