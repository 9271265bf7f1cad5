import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { WalletChallenges } from "../../../ports/store/clients/WalletChallenges.ts"
import { ApiKeyId } from "../../domain/api-key/ApiKey.ts"
import type { ApiKey } from "../../domain/api-key/ApiKey.ts"
import type { KeptChallenge } from "../../domain/api-key/JudgeSignIn.ts"
import { CHALLENGE_MS } from "../../domain/api-key/WalletChallenge.ts"
import { Address, CurrencyAddress } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { ChainSlug } from "../../domain/chain/ChainId.ts"
import { Hex } from "../../domain/encoding/Hex.ts"
import * as LinkingWallets from "./LinkingWallets.ts"
import { WalletSignatures } from "./WalletSignatures.ts"

const wallet = Address.make(`0x${"a1".repeat(20)}`)
const key: ApiKey = { id: ApiKeyId.make("key_1"), label: "an app" }
const signature = Hex.make("0x01")

/** A store in memory, and a chain that answers as it is told. */
const world = () => {
  const kept = new Map<string, KeptChallenge>()
  const state = { isSigned: true, isChainUp: true, isRevoked: false, linked: new Array<string>() }
  const unused = () => Effect.die("not asked for")
  const ports = Layer.mergeAll(
    Layer.succeed(ApiKeys, {
      add: unused,
      find: unused,
      all: Effect.die("not asked for"),
      ofWallet: unused,
      rotate: unused,
      revoke: unused,
      unlink: unused,
      link: (id, to) =>
        Effect.sync(() => {
          if (state.isRevoked) return undefined
          state.linked.push(`${id} ${to}`)
          return { ...key, wallet: to }
        }),
      unlinkWallet: (from, only) =>
        Effect.sync(() => {
          state.linked.push(`${only ?? "all"} ${from} no more`)
          return []
        })
    }),
    Layer.succeed(WalletChallenges, {
      add: (challenge) => Effect.sync(() => void kept.set(challenge.nonce, { challenge, isUsed: false })),
      find: (nonce) => Effect.sync(() => kept.get(nonce)),
      use: (nonce, at) =>
        Effect.sync(() => {
          const found = kept.get(nonce)
          if (found === undefined || found.isUsed || at >= found.challenge.expiresAt) return false
          kept.set(nonce, { ...found, isUsed: true })
          return true
        })
    }),
    Layer.succeed(WalletSignatures, {
      isSignedBy: () =>
        state.isChainUp
          ? Effect.succeed(state.isSigned)
          : Effect.fail(
            new ChainUnavailable({ chain: ChainSlug.make("beta"), operation: "isValidSignature", kind: "timeout" })
          )
    }),
    Layer.succeed(SettlementChain, { chain: { id: 8453 } as Chain, token: CurrencyAddress.make("0x1") }),
    layerWebCrypto
  )
  const layer = LinkingWallets.layer({ domain: "transfers.example", uri: "https://transfers.example/" }).pipe(
    Layer.provide(ports)
  )
  return { state, layer }
}

it.effect("a message is valid for five minutes, and not a millisecond longer", () => {
  const { layer, state } = world()
  return Effect.gen(function*() {
    const linking = yield* LinkingWallets.LinkingWallets
    const [first, second] = [
      yield* linking.challenge(wallet, { _tag: "Link", key: key.id }),
      yield* linking.challenge(wallet, { _tag: "Link", key: key.id })
    ]
    assert.notStrictEqual(first.message, second.message)
    yield* TestClock.adjust(CHALLENGE_MS - 1)
    assert.deepStrictEqual(yield* linking.link(key, { message: first.message, signature }), { ...key, wallet })
    yield* TestClock.adjust(1)
    const late = yield* Effect.flip(linking.link(key, { message: second.message, signature }))
    assert.strictEqual(late._tag === "SignInRefused" && late.reason, "MESSAGE_EXPIRED")
    assert.deepStrictEqual(state.linked, [`key_1 ${wallet}`])
  }).pipe(Effect.provide(layer))
})

it.effect("an unavailable chain or a wrong signature does not use up a message; a key that was revoked meanwhile is not linked", () => {
  const { layer, state } = world()
  return Effect.gen(function*() {
    const linking = yield* LinkingWallets.LinkingWallets
    const { message } = yield* linking.challenge(wallet, { _tag: "Link", key: key.id })
    const link = linking.link(key, { message, signature })
    state.isChainUp = false
    assert.strictEqual((yield* Effect.flip(link))._tag, "ChainUnavailable")
    state.isChainUp = true
    state.isSigned = false
    assert.strictEqual((yield* Effect.flip(link))._tag, "SignInRefused")
    state.isSigned = true
    state.isRevoked = true
    assert.strictEqual((yield* Effect.flip(link))._tag, "UnknownKey")
    assert.deepStrictEqual(state.linked, [])
    const again = yield* linking.challenge(wallet, { _tag: "Unlink", key: undefined })
    assert.deepStrictEqual(yield* linking.unlinkSigned({ message: again.message, signature }), [])
    assert.deepStrictEqual(state.linked, [`all ${wallet} no more`])
  }).pipe(Effect.provide(layer))
})
