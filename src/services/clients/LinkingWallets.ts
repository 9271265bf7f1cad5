/**
 * Links wallets to keys, and unlinks them, by messages that their owners sign (KEY-3).
 *
 * SECURITY: a message is valid once, for five minutes, for one wallet, one purpose and, to link, one key. Only the
 * process that takes its nonce from the store acts on it, one of all processes. A nonce is spent before anything
 * changes, so after a crash in between the owner signs another message. A wallet can unlink itself without any key.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { WalletChallenges } from "../../../ports/store/clients/WalletChallenges.ts"
import type { ApiKey, ApiKeyId } from "../../domain/api-key/ApiKey.ts"
import { judgeSignIn, readSignIn } from "../../domain/api-key/JudgeSignIn.ts"
import type { AskedPurpose } from "../../domain/api-key/JudgeSignIn.ts"
import { SignInRefused } from "../../domain/api-key/SignInRefused.ts"
import { CHALLENGE_MS, messageOf } from "../../domain/api-key/WalletChallenge.ts"
import type { ChallengePurpose, SignInSite, WalletChallenge } from "../../domain/api-key/WalletChallenge.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { Hex } from "../../domain/encoding/Hex.ts"
import { textDigest } from "../../domain/encoding/Signature.ts"
import { UnknownKey } from "./KnownKeys.ts"
import { WalletSignatures } from "./WalletSignatures.ts"
import { hexDigits } from "../../domain/encoding/HexDigits.ts"

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

export class LinkingWallets extends Context.Service<LinkingWallets, {
  /** The message that this wallet has to sign for this purpose. */
  readonly challenge: (wallet: Address, purpose: ChallengePurpose) => Effect.Effect<AskedSignature, StoreUnavailable>
  /** The key, linked to the wallet that signed; `UnknownKey` when the key was revoked meanwhile. */
  readonly link: (key: ApiKey, signed: SignedMessage) => Effect.Effect<ApiKey, LinkFailure | UnknownKey>
  /** The keys that the wallet was unlinked from. */
  readonly unlinkSigned: (signed: SignedMessage) => Effect.Effect<ReadonlyArray<ApiKeyId>, LinkFailure>
  /** Unlinks the wallet from the key that asks. Idempotent. */
  readonly unlink: (key: ApiKey) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/services/LinkingWallets") {}

/** The service's public address, as messages name it. */
export type Site = Omit<SignInSite, "chainId">

export const layer = ({ domain, uri }: Site) =>
  Layer.effect(
    LinkingWallets,
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const challenges = yield* WalletChallenges
      const signatures = yield* WalletSignatures
      const random = yield* SecureRandom
      const { chain } = yield* SettlementChain
      const site: SignInSite = { domain, uri, chainId: chain.id }

      const challenge: LinkingWallets["Service"]["challenge"] = Effect.fn("LinkingWallets.challenge")(
        function*(wallet, purpose) {
          const issuedAt = yield* Clock.currentTimeMillis
          const nonce = hexDigits(yield* random.randomBytes(16))
          const made: WalletChallenge = { nonce, purpose, wallet, issuedAt, expiresAt: issuedAt + CHALLENGE_MS }
          yield* challenges.add(made)
          return { message: messageOf(made, site), expiresAt: made.expiresAt }
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

      const link: LinkingWallets["Service"]["link"] = Effect.fn("LinkingWallets.link")(function*(key, signed) {
        const { wallet } = yield* accept(signed, { _tag: "Link", key: key.id })
        const linked = yield* keys.link(key.id, wallet)
        if (linked === undefined) return yield* new UnknownKey()
        yield* Effect.logInfo(`api key ${key.id} is linked to ${wallet}`)
        return linked
      })

      const unlinkSigned: LinkingWallets["Service"]["unlinkSigned"] = Effect.fn("LinkingWallets.unlinkSigned")(
        function*(signed) {
          const { purpose, wallet } = yield* accept(signed, { _tag: "Unlink" })
          const unlinked = yield* keys.unlinkWallet(wallet, purpose.key)
          yield* Effect.logInfo(
            `${wallet} took itself from ${unlinked.length === 0 ? "no api key" : unlinked.join(", ")}`
          )
          return unlinked
        }
      )

      const unlink: LinkingWallets["Service"]["unlink"] = Effect.fn("LinkingWallets.unlink")(function*({ id }) {
        yield* keys.unlink(id)
        yield* Effect.logInfo(`api key ${id} is linked to no wallet`)
      })

      return LinkingWallets.of({ challenge, link, unlinkSigned, unlink })
    })
  )
