/**
 * Messages that wallets are asked to sign, and the answers that may be acted on (KEY-4).
 *
 * SECURITY: a message is valid once, for five minutes, for one wallet and one purpose. Only the process that takes its
 * nonce from the store acts on it, one of all processes. A nonce is spent before anything changes, so after a crash in
 * between the owner signs another message.
 */
import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { WalletChallenges } from "../../../ports/store/clients/WalletChallenges.ts"
import { judgeSignIn, readSignIn } from "../../domain/api-key/JudgeSignIn.ts"
import type { AskedPurpose } from "../../domain/api-key/JudgeSignIn.ts"
import { SignInRefused } from "../../domain/api-key/SignInRefused.ts"
import { CHALLENGE_MS, messageOf } from "../../domain/api-key/WalletChallenge.ts"
import type { ChallengePurpose, SignInSite, WalletChallenge } from "../../domain/api-key/WalletChallenge.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { Hex } from "../../domain/encoding/Hex.ts"
import { hexDigits } from "../../domain/encoding/HexDigits.ts"
import { textDigest } from "../../domain/encoding/Signature.ts"
import { WalletSignatures } from "./WalletSignatures.ts"

/** A message to be signed, and until when (milliseconds) it is accepted. */
export interface AskedSignature {
  readonly message: string
  readonly expiresAt: number
}

/** A message with the signature that came back for it. */
export interface SignedMessage {
  readonly message: string
  readonly signature: Hex
}

/** Errors of a signed message: it was refused, or the store or the chain could not be reached. */
export type LinkFailure = SignInRefused | StoreUnavailable | ChainUnavailable

/** The service's public address, as messages name it. */
export type Site = Omit<SignInSite, "chainId">

/** Asks wallets for signatures, and accepts each message once. */
export const makeWalletMessages = Effect.fnUntraced(function*({ domain, uri }: Site) {
  const challenges = yield* WalletChallenges
  const signatures = yield* WalletSignatures
  const random = yield* SecureRandom
  const { chain } = yield* SettlementChain
  const site: SignInSite = { domain, uri, chainId: chain.id }

  /** The message that this wallet has to sign for this purpose. */
  const challenge = Effect.fn("WalletMessages.challenge")(
    function*(wallet: Address, purpose: ChallengePurpose) {
      const issuedAt = yield* Clock.currentTimeMillis
      const nonce = hexDigits(yield* random.randomBytes(16))
      const made: WalletChallenge = { nonce, purpose, wallet, issuedAt, expiresAt: issuedAt + CHALLENGE_MS }
      yield* challenges.add(made)
      return { message: messageOf(made, site), expiresAt: made.expiresAt } satisfies AskedSignature
    }
  )

  /** The challenge that a signed message answers. It is spent here, so no other request can use it. */
  const accept = Effect.fnUntraced(function*({ message, signature }: SignedMessage, asked: AskedPurpose) {
    const read = yield* Effect.fromResult(readSignIn(message))
    const kept = yield* challenges.find(read.nonce)
    const now = yield* Clock.currentTimeMillis
    const judged = yield* Effect.fromResult(judgeSignIn(message, read, { site, asked, now, kept }))
    if (!(yield* signatures.isSignedBy(judged.wallet, textDigest(message), signature))) {
      return yield* new SignInRefused({ reason: "WRONG_SIGNATURE", message: "the signature is not the wallet's" })
    }
    // Checking the signature on the chain may have taken long, and another request may have used the challenge
    // meanwhile.
    if (!(yield* challenges.use(judged.nonce, yield* Clock.currentTimeMillis))) {
      return yield* new SignInRefused({
        reason: "NONCE_USED",
        message: "the message was used, or has ended meanwhile: ask for a new one"
      })
    }
    return judged
  })

  return { challenge, accept }
})
