/**
 * Sessions of the dashboard (DASH-1): who signed in, and for how long. The browser holds a random text; the store holds
 * only its hash.
 *
 * SECURITY: an operator's hash also covers the admin token. So a new token ends all operators' sessions, and the store
 * holds nothing against which the token could be guessed.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { encode } from "effect/encoding/Base64Url"
import type { Address } from "../chain/Address.ts"
import { type Hex32, hex32FromDigest } from "../encoding/Hex.ts"

/** Who signed in: the operator by the admin token, or the owner of a wallet by a signature. */
export type SessionSubject =
  | { readonly _tag: "Operator" }
  | { readonly _tag: "Wallet"; readonly wallet: Address }

export interface Session {
  readonly subject: SessionSubject
  /** Milliseconds. */
  readonly startedAt: number
  /** Milliseconds. From then on the session is invalid. */
  readonly expiresAt: number
}

/** How long a session lasts, however much it is used. Milliseconds. */
export const SESSION_MS: Readonly<Record<SessionSubject["_tag"], number>> = {
  Operator: 8 * 3_600_000,
  Wallet: 12 * 3_600_000
}

/** A subject has at most so many sessions; a further one ends its oldest. */
export const MAX_SESSIONS = 20

const prefixes: Readonly<Record<SessionSubject["_tag"], string>> = { Operator: "cwo_", Wallet: "cww_" }

const textPattern = /^cw[ow]_[A-Za-z0-9_-]{43}$/u

/** The text of a new session. `random` must be 32 bytes of secure randomness. */
export const sessionText = (kind: SessionSubject["_tag"], random: Uint8Array): string =>
  `${prefixes[kind]}${encode(random)}`

/** The kind of session that a text claims to be; undefined when it cannot be a session's. */
export const kindOfText = (text: string): SessionSubject["_tag"] | undefined => {
  if (!textPattern.test(text)) return undefined
  return text.startsWith(prefixes.Operator) ? "Operator" : "Wallet"
}

/** The hash under which a session is stored. `seal` is the admin token for an operator, and empty for a wallet. */
export const sessionHash = (text: string, seal: string): Hex32 =>
  hex32FromDigest(hmac(sha256, utf8ToBytes(`session\n${seal}`), utf8ToBytes(text)))

/**
 * The token that every change must repeat in a header. It follows from the session's text, so it needs no storage, and
 * only a page that could read an answer of this service knows it.
 */
export const csrfToken = (text: string): string => encode(hmac(sha256, utf8ToBytes("csrf"), utf8ToBytes(text)))

/** One text for each subject, for rows. No address contains a space. */
export const subjectKey = (subject: SessionSubject): string =>
  subject._tag === "Operator" ? "operator" : `wallet ${subject.wallet}`
