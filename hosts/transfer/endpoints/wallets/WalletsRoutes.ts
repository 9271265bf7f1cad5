/** Wallets of keys (KEY-5): challenge, link, and both ways to unlink. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import type { ApiKey } from "../../../../src/domain/api-key/ApiKey.ts"
import type { SignInRefused } from "../../../../src/domain/api-key/SignInRefused.ts"
import { LinkingWallets } from "../../../../src/services/clients/LinkingWallets.ts"
import type { SignedMessage } from "../../../../src/services/clients/WalletMessages.ts"
import { Unavailable } from "../quote/QuoteErrors.ts"
import type { QuoteUnauthorized } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { SignInBadRequest } from "./WalletsApi.ts"
import type { ChallengeRequest } from "./WalletsApi.ts"
import { pathOfErrorPage } from "../ErrorPages.ts"
import { neededKey, unauthorized } from "../../middleware/ApiKey.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

const row = ({ id, label, wallet }: ApiKey) => ({ id, label, wallet: wallet ?? null })

const unavailable = ({ message }: StoreUnavailable | ChainUnavailable) => new Unavailable({ message })

const keyOnTheWire = (failure: StoreUnavailable | QuoteUnauthorized) =>
  failure._tag === "QuoteUnauthorized" ? failure : unavailable(failure)

const signedOnTheWire = (failure: SignInRefused | StoreUnavailable | ChainUnavailable) =>
  failure._tag === "SignInRefused"
    ? new SignInBadRequest({
      message: failure.message,
      errorCode: failure.reason,
      docs: pathOfErrorPage(failure.reason)
    })
    : unavailable(failure)

const linkingKey = neededKey("a wallet is linked to the key that comes as x-api-key: send one")

export const layer = HttpApiBuilder.group(
  TransferApi,
  "wallets",
  Effect.fn(function*(handlers) {
    const linking = yield* LinkingWallets

    const purposeOf = Effect.fnUntraced(function*(payload: ChallengeRequest) {
      return payload.action === "unlink"
        ? { _tag: "Unlink" as const, key: payload.apiKeyId }
        : { _tag: "Link" as const, key: (yield* linkingKey).id }
    })

    const challenge = Effect.fn("http.challengeWallet")(function*({ payload }: { readonly payload: ChallengeRequest }) {
      const { expiresAt, message } = yield* linking.challenge(payload.wallet, yield* purposeOf(payload))
      return { message, expiresAt: new Date(expiresAt).toISOString() }
    }, Effect.mapError(keyOnTheWire))

    const link = Effect.fn("http.linkWallet")(function*({ payload }: { readonly payload: SignedMessage }) {
      const linked = linking.link(yield* linkingKey, payload)
      return row(yield* Effect.catchTag(linked, "UnknownKey", ({ message }) => Effect.fail(unauthorized(message))))
    }, Effect.mapError((failure) => failure._tag === "QuoteUnauthorized" ? failure : signedOnTheWire(failure)))

    const unlink = Effect.fn("http.unlinkWallet")(function*() {
      const { id, label } = yield* Effect.tap(linkingKey, (key) => linking.unlink(key))
      return { id, label, wallet: null }
    }, Effect.mapError(keyOnTheWire))

    const unlinkSigned = Effect.fn("http.unlinkWalletSigned")(
      function*({ payload }: { readonly payload: SignedMessage }) {
        return { unlinked: yield* linking.unlinkSigned(payload) }
      },
      Effect.mapError(signedOnTheWire)
    )

    return handlers.handleAll({ challenge, link, unlink, unlinkSigned })
  })
).pipe(Layer.provide(inputErrors))
