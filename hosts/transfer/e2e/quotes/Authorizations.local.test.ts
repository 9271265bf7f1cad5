/** EIP-7702 authorizations on fills, over HTTP and on real chains. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { zeroAddress } from "viem"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { multicall3 } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { ended, nativeRequest, postQuote, quote, reader, sendDeposit } from "../../testing/Client.ts"
import { lyingNode } from "../../testing/LyingNode.ts"
import { ETH } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()(
  "test/Authorizations",
  Effect.gen(function*() {
    const network = yield* startNetwork
    const beta = yield* lyingNode(network.chains.beta.url)
    return { ...(yield* startFixture(Effect.succeed(network), { settings: { BETA_RPC_URL: beta.url } })), beta }
  })
) {}

/** An account's signed authorization in a request's form. */
const authorization = (key: Hex, chainId: number, nonce = 0, address: Hex = multicall3) =>
  Effect.promise(async () => {
    const { r, s, yParity = 0 } = await privateKeyToAccount(key).signAuthorization({ chainId, nonce, address })
    return { chainId, address, nonce, yParity, r, s }
  })

layer(Running.layer, { excludeTestServices: true })("authorizations on the fill", (it) => {
  it.effect("the fill is of type 4 and carries them, in their order; they take effect; their gas is in the fee", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const [key, ...owners] = [chains.users[0] ?? "0x", generatePrivateKey(), generatePrivateKey()]
      const user = privateKeyToAccount(key).address
      const [own, anywhere] = [
        yield* authorization(owners[0] ?? "0x", chains.beta.chainId),
        yield* authorization(owners[1] ?? "0x", 0)
      ]
      const ask = (authorizationList: ReadonlyArray<object>) =>
        quote(url, nativeRequest(user, chains.alpha, chains.beta, ETH.some, { authorizationList }))
      const [plain, quoted] = [yield* ask([]), yield* ask([own, anywhere])]
      assert.isTrue(BigInt(quoted.fees["relayerGas"]?.amount ?? "0") > BigInt(plain.fees["relayerGas"]?.amount ?? "0"))
      yield* sendDeposit(chains.alpha, key, quoted)
      const end = yield* ended(url, quoted)
      assert.strictEqual(end.status, "success")
      const fill = yield* Effect.promise(() => reader(chains.beta).getTransaction({ hash: end.txHashes[0] ?? "0x" }))
      assert.strictEqual(fill.type, "eip7702")
      assert.deepStrictEqual(
        fill.authorizationList?.map(({ chainId, nonce }) => ({ chainId, nonce })),
        [own, anywhere].map(({ chainId, nonce }) => ({ chainId, nonce }))
      )
      for (const owner of owners) {
        const code = yield* Effect.promise(() =>
          reader(chains.beta).getCode({ address: privateKeyToAccount(owner).address })
        )
        assert.strictEqual(code?.toLowerCase(), `0xef0100${multicall3.slice(2).toLowerCase()}`)
      }
    }))

  it.effect("an authorization that is no longer valid is skipped by the chain, and the fill is still made", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const key = chains.users[1] ?? "0x"
      const owner = generatePrivateKey()
      const stale = yield* authorization(owner, chains.beta.chainId, 7)
      const quoted = yield* quote(
        url,
        nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, ETH.some, {
          authorizationList: [stale]
        })
      )
      yield* sendDeposit(chains.alpha, key, quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.isUndefined(
        yield* Effect.promise(() => reader(chains.beta).getCode({ address: privateKeyToAccount(owner).address }))
      )
    }))

  it.effect("a payment whose authorizations nodes refuse is made without them, and blocks nothing behind it", () =>
    Effect.gen(function*() {
      const { beta, chains, url } = yield* Running
      let refused = 0
      beta.lie((call, truth) => {
        if (call.method !== "eth_sendRawTransaction" || !String(call.params?.[0]).startsWith("0x04")) return truth()
        refused += 1
        return Promise.resolve({ error: { code: -32_000, message: "authority already reserved" } })
      })
      const [first = "0x", second = "0x"] = chains.users.slice(3)
      const own = yield* authorization(generatePrivateKey(), chains.beta.chainId)
      const held = yield* quote(
        url,
        nativeRequest(privateKeyToAccount(first).address, chains.alpha, chains.beta, ETH.some, {
          authorizationList: [own]
        })
      )
      const behind = yield* quote(
        url,
        nativeRequest(privateKeyToAccount(second).address, chains.alpha, chains.beta, ETH.some)
      )
      yield* sendDeposit(chains.alpha, first, held)
      yield* sendDeposit(chains.alpha, second, behind)
      const [end, next] = [yield* ended(url, held), yield* ended(url, behind)]
      beta.tellTheTruth()
      assert.deepStrictEqual([end.status, next.status, refused], ["success", "success", 1])
      const fill = yield* Effect.promise(() => reader(chains.beta).getTransaction({ hash: end.txHashes[0] ?? "0x" }))
      assert.strictEqual(fill.type, "eip1559")
    }))

  it.effect("refuses more than eight, those of another chain, and those of a send", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const user = privateKeyToAccount(chains.users[2] ?? "0x").address
      const own = yield* authorization(generatePrivateKey(), chains.beta.chainId)
      const refusal = (changes: object, to = chains.beta) =>
        Effect.map(postQuote(url, nativeRequest(user, chains.alpha, to, ETH.some, changes)), ({ status, text }) =>
          `${status} ${text}`)
      assert.include(
        yield* refusal({
          authorizationList: Array.from({ length: 9 }, () =>
            own)
        }),
        "at most 8 authorizations"
      )
      assert.include(
        yield* refusal({ authorizationList: [{ ...own, chainId: chains.alpha.chainId }] }),
        "authorizationList.0.chainId"
      )
      assert.include(
        yield* refusal({
          authorizationList: [{ ...own, chainId: chains.alpha.chainId }],
          recipient: zeroAddress.replace("0x0", "0x1")
        }, chains.alpha),
        "authorizationList"
      )
    }))
})
