/**
 * Links wallets to keys, and unlinks them, by messages that their owners sign (KEY-3). `WalletMessages` accepts each
 * message once. A wallet can unlink itself without any key.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { ApiKey, ApiKeyId } from "../../domain/api-key/ApiKey.ts"
import type { ChallengePurpose } from "../../domain/api-key/WalletChallenge.ts"
import type { Address } from "../../domain/chain/Address.ts"
import { UnknownKey } from "./KnownKeys.ts"
import { makeWalletMessages } from "./WalletMessages.ts"
import type { AskedSignature, LinkFailure, SignedMessage, Site } from "./WalletMessages.ts"

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

export const layer = (site: Site) =>
  Layer.effect(
    LinkingWallets,
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const { accept, challenge } = yield* makeWalletMessages(site)

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
