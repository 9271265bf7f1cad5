/**
 * Keys that the owners of wallets make for themselves in the dashboard (DASH-4).
 *
 * SECURITY: a key has rate limits of its own. Without a price, anybody could make wallets, keys, and so limits without
 * end. So a wallet needs an app balance, and has at most twenty valid keys. Only the wallet that made a key owns it. A
 * wallet that a key is merely linked to pays its fees, and can only unlink itself: otherwise whoever learned a key's
 * text could take the key over by linking a wallet of their own.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import type { KeptApiKey } from "../../../ports/store/clients/ApiKeys.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { ApiKey, ApiKeyId } from "../../domain/api-key/ApiKey.ts"
import { judgeNewKey } from "../../domain/api-key/JudgeNewKey.ts"
import type { Address } from "../../domain/chain/Address.ts"
import { MicroUsdc } from "../../domain/ledger/MicroUsdc.ts"
import { sponsorCurrency } from "../quoting/Sponsoring.ts"
import { IssuingKeys } from "./IssuingKeys.ts"
import type { IssuedKey } from "./IssuingKeys.ts"

/** The wallet may not make a key now; `message` tells its owner why. */
export class KeyRefused extends Schema.TaggedError<KeyRefused>()("KeyRefused", { message: Schema.String }) {}

/** What a wallet is to a key. An owner may do everything with it, a payer may only unlink itself. */
export type KeyRole = "owner" | "payer"

/** A key of a wallet. */
export interface WalletKey extends KeptApiKey {
  readonly role: KeyRole
}

export class OwningKeys extends Context.Service<OwningKeys, {
  /** The keys that a wallet owns or pays for, oldest first, including revoked ones. */
  readonly all: (wallet: Address) => Effect.Effect<ReadonlyArray<WalletKey>, StoreUnavailable>
  /** The key, if it is valid and the wallet has a role in it. */
  readonly find: (
    wallet: Address,
    id: ApiKeyId
  ) => Effect.Effect<{ readonly key: ApiKey; readonly role: KeyRole } | undefined, StoreUnavailable>
  /** A new key of the wallet, not yet linked to it: that takes a signature of its own (KEY-3). */
  readonly create: (
    wallet: Address,
    label: string
  ) => Effect.Effect<IssuedKey & { readonly key: ApiKey }, KeyRefused | StoreUnavailable>
}>()("causeway/services/OwningKeys") {}

export const layer = Layer.effect(
  OwningKeys,
  Effect.gen(function*() {
    const keys = yield* ApiKeys
    const issuing = yield* IssuingKeys
    const ledger = yield* Ledger
    const currency = sponsorCurrency(yield* SettlementChain)

    const all: OwningKeys["Service"]["all"] = Effect.fn("OwningKeys.all")(function*(wallet) {
      const found = yield* keys.ofWallet(wallet)
      return found.map((kept) => ({ ...kept, role: kept.key.owner === wallet ? "owner" : "payer" }))
    })

    const find: OwningKeys["Service"]["find"] = Effect.fn("OwningKeys.find")(function*(wallet, id) {
      const found = (yield* all(wallet)).find(({ key }) => key.id === id)
      return found === undefined || found.revokedAt !== undefined ? undefined : { key: found.key, role: found.role }
    })

    const create: OwningKeys["Service"]["create"] = Effect.fn("OwningKeys.create")(function*(wallet, label) {
      const owned = (yield* all(wallet)).filter(({ revokedAt, role }) => role === "owner" && revokedAt === undefined)
      const balance = MicroUsdc(yield* ledger.balanceOf({ _tag: "Wallet", wallet }, currency))
      const refused = judgeNewKey({ valid: owned.length, balance })
      return refused === undefined ? yield* issuing.create(label, wallet) : yield* new KeyRefused({ message: refused })
    })

    return OwningKeys.of({ all, find, create })
  })
)
