/**
 * Decides whether a signed message may be acted on (KEY-4). The signature itself is checked elsewhere.
 *
 * SECURITY: the text must equal the challenge's message byte by byte. The checks before that one only find out which
 * part is wrong.
 */
import * as Result from "effect/Result"
import type { ApiKeyId } from "./ApiKey.ts"
import { SignInRefused } from "./SignInRefused.ts"
import type { SignInReason } from "./SignInRefused.ts"
import { parseSignIn } from "./SignInMessage.ts"
import type { SignInMessage } from "./SignInMessage.ts"
import { messageOf } from "./WalletChallenge.ts"
import type { SignInSite, WalletChallenge } from "./WalletChallenge.ts"

/** A challenge as it is stored. */
export interface KeptChallenge {
  readonly challenge: WalletChallenge
  readonly isUsed: boolean
}

/** What the route does, and the key it was called with. */
export type AskedPurpose =
  | { readonly _tag: "Link"; readonly key: ApiKeyId }
  | { readonly _tag: "Unlink" }
  | { readonly _tag: "SignIn" }

/** What a signed message is compared with. */
export interface SignInFacts {
  readonly site: SignInSite
  readonly asked: AskedPurpose
  /** Milliseconds. */
  readonly now: number
  /** The challenge with the message's nonce. Undefined when there is none. */
  readonly kept: KeptChallenge | undefined
}

const actions = { Link: "link a wallet", Unlink: "unlink a wallet", SignIn: "sign in to the dashboard" } as const

const refuse = (reason: SignInReason, message: string) => Result.fail(new SignInRefused({ reason, message }))

/** Parses a sign-in message. Nothing is verified yet. */
export const readSignIn = (text: string): Result.Result<SignInMessage, SignInRefused> =>
  Result.mapError(
    parseSignIn(text),
    (what) => new SignInRefused({ reason: "MALFORMED_MESSAGE", message: `this is not a sign-in message: ${what}` })
  )

/** Returns the challenge that the message answers, or why it is refused. */
export const judgeSignIn = (
  text: string,
  { address, chainId, domain, nonce }: SignInMessage,
  { asked, kept, now, site }: SignInFacts
): Result.Result<WalletChallenge, SignInRefused> => {
  if (domain !== site.domain) {
    return refuse("WRONG_DOMAIN", `the message is for another service: this one is ${site.domain}`)
  }
  if (chainId !== site.chainId) {
    return refuse("WRONG_CHAIN", `the message is for another chain: wallets sign for chain ${site.chainId}`)
  }
  if (kept === undefined || kept.challenge.nonce !== nonce) {
    return refuse("UNKNOWN_NONCE", "no message of this service has this nonce: ask for a new one")
  }
  const { challenge } = kept
  const { purpose } = challenge
  if (kept.isUsed) return refuse("NONCE_USED", "the message was used before: ask for a new one")
  if (now >= challenge.expiresAt) {
    return refuse("MESSAGE_EXPIRED", "the message is older than five minutes: ask for a new one")
  }
  if (purpose._tag !== asked._tag) {
    return refuse("WRONG_PURPOSE", `the message is made to ${actions[purpose._tag]}`)
  }
  if (asked._tag === "Link" && purpose.key !== asked.key) {
    return refuse("WRONG_KEY", "the message was made under another API key")
  }
  if (address !== challenge.wallet) {
    return refuse("WRONG_WALLET", "the message names another wallet than the one it was made for")
  }
  if (text !== messageOf(challenge, site)) {
    return refuse("ALTERED_MESSAGE", "the message is not the one that was made, to the letter")
  }
  return Result.succeed(challenge)
}
