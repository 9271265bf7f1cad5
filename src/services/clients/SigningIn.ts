/**
 * Signs people in to the dashboard (DASH-1, DASH-2): an operator, whose admin token the host has checked, and the owner
 * of a wallet, by a message that the wallet signed.
 *
 * SECURITY: a session's text leaves this module once, to the browser that signed in. It is always a new one, so a text
 * that somebody planted in a browser never becomes a session. A session ends by itself, however much it is used.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { Sessions } from "../../../ports/store/clients/Sessions.ts"
import type { Address } from "../../domain/chain/Address.ts"
import { kindOfText, MAX_SESSIONS, SESSION_MS, sessionHash, sessionText } from "../../domain/session/Session.ts"
import type { Session, SessionSubject } from "../../domain/session/Session.ts"
import { makeWalletMessages } from "./WalletMessages.ts"
import type { AskedSignature, LinkFailure, SignedMessage, Site } from "./WalletMessages.ts"

/** A session with the text that the browser keeps. It is not available again later. */
export interface StartedSession extends Session {
  readonly text: Redacted.Redacted
}

export class SigningIn extends Context.Service<SigningIn, {
  /** The message that this wallet has to sign to sign in. */
  readonly challenge: (wallet: Address) => Effect.Effect<AskedSignature, StoreUnavailable>
  readonly signInWallet: (signed: SignedMessage) => Effect.Effect<StartedSession, LinkFailure>
  /** SECURITY: only for a caller that sent the admin token. */
  readonly signInOperator: Effect.Effect<StartedSession, StoreUnavailable>
  /** The session of a text that a browser sent; undefined for any other text. */
  readonly find: (text: string) => Effect.Effect<Session | undefined, StoreUnavailable>
  /** Ends the session of a text, in every process from the next request on. Idempotent. */
  readonly end: (text: string) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/services/SigningIn") {}

/** `adminToken`: the operator's; without one there are no sessions of operators. */
export const layer = (site: Site, adminToken: Redacted.Redacted | undefined) =>
  Layer.effect(
    SigningIn,
    Effect.gen(function*() {
      const sessions = yield* Sessions
      const random = yield* SecureRandom
      const { accept, challenge } = yield* makeWalletMessages(site)

      const hashOf = (kind: SessionSubject["_tag"], text: string) => {
        if (kind === "Wallet") return sessionHash(text, "")
        return adminToken === undefined ? undefined : sessionHash(text, Redacted.value(adminToken))
      }

      const start = Effect.fnUntraced(function*(subject: SessionSubject) {
        const text = sessionText(subject._tag, yield* random.randomBytes(32))
        const hash = hashOf(subject._tag, text)
        if (hash === undefined) return yield* Effect.die(new Error("there is no operator to sign in"))
        const startedAt = yield* Clock.currentTimeMillis
        const session: Session = { subject, startedAt, expiresAt: startedAt + SESSION_MS[subject._tag] }
        yield* sessions.add(hash, session, MAX_SESSIONS)
        return { ...session, text: Redacted.make(text, { label: "session" }) } satisfies StartedSession
      })

      const signInWallet: SigningIn["Service"]["signInWallet"] = Effect.fn("SigningIn.signInWallet")(
        function*(signed) {
          const { wallet } = yield* accept(signed, { _tag: "SignIn" })
          return yield* start({ _tag: "Wallet", wallet })
        }
      )

      const signInOperator = start({ _tag: "Operator" }).pipe(
        Effect.tap(Effect.logInfo("an operator signed in to the dashboard")),
        Effect.withSpan("SigningIn.signInOperator")
      )

      const known = (text: string) => {
        const kind = kindOfText(text)
        return kind === undefined ? undefined : hashOf(kind, text)
      }

      const find: SigningIn["Service"]["find"] = Effect.fnUntraced(function*(text) {
        const hash = known(text)
        return hash === undefined ? undefined : yield* sessions.find(hash, yield* Clock.currentTimeMillis)
      })

      const end: SigningIn["Service"]["end"] = (text) => {
        const hash = known(text)
        return hash === undefined ? Effect.void : sessions.end(hash)
      }

      return SigningIn.of({
        challenge: (wallet) => challenge(wallet, { _tag: "SignIn", key: undefined }),
        signInWallet,
        signInOperator,
        find,
        end
      })
    })
  )
