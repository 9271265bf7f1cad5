/** Linking wallets to keys by signature, over HTTP and on a real chain; and every attempt by others. */
import { assert, layer } from "@effect/vitest"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Redacted, Schema } from "effect"
import { encodeDeployData, encodeErrorResult, parseAbi } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import {
  abi as walletAbi,
  bytecode as walletCode
} from "../../../../adapters/ethereum/contracts/artifacts/SmartAllocator.ts"
import * as HubMappings from "../../../../adapters/exchange-a/observe/HubMappings.ts"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { isOwnMapping } from "../../../../src/domain/nonce-mapping/NonceMapping.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { alpha as knownChain } from "../../../../src/domain/quote/testing/Chains.ts"
import { post, reader } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const ADMIN_TOKEN = "an admin token of at least 32 characters"
const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }

class Running extends fixtureOf<Running>()(
  "test/Wallets",
  startFixture(startNetwork, { settings: { ADMIN_TOKEN, BASE_URL: "https://transfers.example/api" } })
) {}

const NewKey = Schema.Struct({ id: Schema.String, key: Schema.String })
const Challenge = Schema.Struct({ message: Schema.String, expiresAt: Schema.String })
const Refused = Schema.Struct({ message: Schema.NonEmptyString, errorCode: Schema.String, docs: Schema.String })
const Listed = Schema.Struct({
  keys: Schema.Array(Schema.Struct({ id: Schema.String, wallet: Schema.NullOr(Schema.String) }))
})

/** Contracts with unusual answers to `isValidSignature`, in bytes. */
const contracts: Readonly<Record<string, Hex>> = {
  // Returns the standard's yes to every question.
  yesToAll: "0x631626ba7e60e01b60005260206000f3",
  // A yes of four bytes instead of a word.
  shortYes: "0x631626ba7e60e01b60005260046000f3",
  // A yes with other bytes behind it in the same word.
  dirtyYes: "0x7f1626ba7e0000000000000000000000000000000000000000000000000000000160005260206000f3",
  // `true`, as careless contracts answer.
  truth: "0x600160005260206000f3",
  silent: "0x00",
  reverts: "0x60006000fd",
  invalid: "0xfe",
  // Jumps back to its start until its gas is used up.
  endless: "0x5b600056"
}

layer(Running.layer, { excludeTestServices: true })("wallets of keys", (it) => {
  const newKey = Effect.gen(function*() {
    const { url } = yield* Running
    return Schema.decodeUnknownSync(NewKey)((yield* post(`${url}/api-keys`, { label: "an app" }, admin)).json())
  })
  const challenge = Effect.fnUntraced(function*(body: object, key?: string) {
    const { url } = yield* Running
    const answer = yield* post(`${url}/api-keys/wallets/challenge`, body, key === undefined ? {} : { "x-api-key": key })
    assert.strictEqual(answer.status, 200, answer.text)
    return Schema.decodeUnknownSync(Challenge)(answer.json()).message
  })
  const link = Effect.fnUntraced(function*(key: string, message: string, signature: string) {
    const { url } = yield* Running
    return yield* post(`${url}/api-keys/wallets`, { message, signature }, { "x-api-key": key })
  })
  const unlinkSigned = Effect.fnUntraced(function*(message: string, signature: string) {
    const { url } = yield* Running
    return yield* post(`${url}/api-keys/wallets/unlink`, { message, signature })
  })
  const walletOf = Effect.fnUntraced(function*(id: string) {
    const { url } = yield* Running
    const { keys } = Schema.decodeUnknownSync(Listed)((yield* get(`${url}/api-keys`, { headers: admin })).json())
    return keys.find((each) => each.id === id)?.wallet
  })
  const setCode = Effect.fnUntraced(function*(wallet: Hex, code: Hex) {
    const { chains } = yield* Running
    yield* Effect.promise((): Promise<unknown> =>
      reader(chains.beta).request({ method: "anvil_setCode", params: [wallet, code] } as never)
    )
  })
  const signed = (user: Hex, message: string) =>
    Effect.promise(() => privateKeyToAccount(user).signMessage({ message }))
  const userAt = Effect.fnUntraced(function*(index: number) {
    const { chains } = yield* Running
    const user = chains.users[index] ?? "0x"
    return { user, address: privateKeyToAccount(user).address }
  })
  const refused = (
    answer: { readonly status: number; readonly text: string; readonly json: () => unknown },
    code: string
  ) => {
    assert.strictEqual(answer.status, 400, answer.text)
    const { docs, errorCode } = Schema.decodeUnknownSync(Refused)(answer.json())
    assert.strictEqual(errorCode, code, answer.text)
    return docs
  }

  it.effect("links the account that signed, shows it to the operator, and unlinks it by the key", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { id, key } = yield* newKey
      const { address, user } = yield* userAt(0)
      const message = yield* challenge({ wallet: address }, key)
      assert.match(
        message,
        new RegExp(
          `^transfers\\.example wants you to sign in with your Ethereum account:\\n${address}\\n\\nThe API key ${id} may spend`
        )
      )
      assert.include(message, "\nURI: https://transfers.example/api\nVersion: 1\nChain ID: 616102\n")
      const linked = yield* link(key, message, yield* signed(user, message))
      assert.strictEqual(linked.status, 200, linked.text)
      assert.deepStrictEqual(linked.json(), { id, label: "an app", wallet: address.toLowerCase() })
      assert.strictEqual(yield* walletOf(id), address.toLowerCase())
      for (const _ of [1, 2]) {
        const unlinked = yield* get(`${url}/api-keys/wallets`, { method: "DELETE", headers: { "x-api-key": key } })
        assert.deepStrictEqual(unlinked.json(), { id, label: "an app", wallet: null })
      }
      assert.isNull(yield* walletOf(id))
      assert.strictEqual(
        refused(yield* link(key, message, yield* signed(user, message)), "NONCE_USED"),
        "https://transfers.example/api/documentation/errors/NONCE_USED"
      )
      assert.strictEqual((yield* get(`${url}/documentation/errors/NONCE_USED`)).status, 200)
      assert.isNull(yield* walletOf(id))
    }))

  it.effect("lets one of many concurrent callers use the message", () =>
    Effect.gen(function*() {
      const { key } = yield* newKey
      const { address, user } = yield* userAt(0)
      const message = yield* challenge({ wallet: address }, key)
      const signature = yield* signed(user, message)
      const answers = yield* Effect.all(Array.from({ length: 12 }, () => link(key, message, signature)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
      assert.isTrue(answers.every(({ status, text }) => status === 200 || text.includes("NONCE_USED")))
    }))

  it.effect("refuses another domain, chain, wallet, key, text and signer, and a wrong signature does not use up the message", () =>
    Effect.gen(function*() {
      const mine = yield* newKey
      const other = yield* newKey
      const { address, user } = yield* userAt(0)
      const stranger = yield* userAt(1)
      const message = yield* challenge({ wallet: address }, mine.key)
      const altered = (from: string | RegExp, to: string) => message.replace(from, to)
      const attempts: ReadonlyArray<readonly [text: string, code: string]> = [
        [altered("transfers.example", "evil.example"), "WRONG_DOMAIN"],
        [altered("transfers.example", "https://transfers.example"), "ALTERED_MESSAGE"],
        [altered("Chain ID: 616102", "Chain ID: 616101"), "WRONG_CHAIN"],
        [altered(/Nonce: .{8}/, "Nonce: 00000000"), "UNKNOWN_NONCE"],
        [altered(address, stranger.address), "WRONG_WALLET"],
        [altered("may spend", "may not spend"), "ALTERED_MESSAGE"],
        [altered(mine.id, other.id), "ALTERED_MESSAGE"],
        [altered(/Expiration Time: \d{4}/, "Expiration Time: 2999"), "ALTERED_MESSAGE"],
        [altered(/Issued At: \d{4}/, "Issued At: 2999"), "ALTERED_MESSAGE"],
        [altered(/\nExpiration Time: .*/, ""), "ALTERED_MESSAGE"],
        [altered("/api\n", "/other\n"), "ALTERED_MESSAGE"],
        [`${message}\nResources:\n- https://transfers.example/more`, "ALTERED_MESSAGE"],
        [`${message}\n`, "MALFORMED_MESSAGE"],
        [message.replaceAll("\n", "\r\n"), "MALFORMED_MESSAGE"],
        [altered(address, address.toLowerCase()), "MALFORMED_MESSAGE"],
        ["link my wallet", "MALFORMED_MESSAGE"]
      ]
      for (const [text, code] of attempts) refused(yield* link(mine.key, text, yield* signed(user, text)), code)
      const signature = yield* signed(user, message)
      refused(yield* link(other.key, message, signature), "WRONG_KEY")
      refused(yield* unlinkSigned(message, signature), "WRONG_PURPOSE")
      const notHis = [
        yield* signed(stranger.user, message),
        yield* signed(user, `${message} `),
        `0x${"00".repeat(65)}`,
        "0x",
        "0x1234"
      ]
      for (const forged of notHis) refused(yield* link(mine.key, message, forged), "WRONG_SIGNATURE")
      assert.isNull(yield* walletOf(mine.id))
      assert.isNull(yield* walletOf(other.id))
      assert.strictEqual((yield* link(mine.key, message, signature)).status, 200)
    }))

  it.effect("accepts the v of some hardware wallets", () =>
    Effect.gen(function*() {
      const { key } = yield* newKey
      const { address, user } = yield* userAt(2)
      const message = yield* challenge({ wallet: address }, key)
      const usual = yield* signed(user, message)
      const v = (Number(`0x${usual.slice(-2)}`) - 27).toString(16).padStart(2, "0")
      assert.strictEqual((yield* link(key, message, `${usual.slice(0, -2)}${v}`)).status, 200)
    }))

  it.effect("needs a known key, and valid bodies", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { id, key } = yield* newKey
      const { address, user } = yield* userAt(0)
      const message = yield* challenge({ wallet: address }, key)
      const signature = yield* signed(user, message)
      const headers: ReadonlyArray<Readonly<Record<string, string>>> = [{}, { "x-api-key": "" }, {
        "x-api-key": "cwk_nobody"
      }]
      for (const wrong of headers) {
        assert.strictEqual((yield* post(`${url}/api-keys/wallets/challenge`, { wallet: address }, wrong)).status, 401)
        assert.strictEqual((yield* post(`${url}/api-keys/wallets`, { message, signature }, wrong)).status, 401)
        assert.strictEqual((yield* get(`${url}/api-keys/wallets`, { method: "DELETE", headers: wrong })).status, 401)
      }
      for (const body of [{}, { wallet: "0x12" }, { wallet: address, action: "steal" }, { wallet: `${address}00` }]) {
        assert.strictEqual((yield* post(`${url}/api-keys/wallets/challenge`, body, { "x-api-key": key })).status, 400)
      }
      for (
        const body of [{ message }, { signature }, { message: "a".repeat(5_000), signature }, {
          message,
          signature: `0x${"ab".repeat(9_000)}`
        }, { message, signature: "0xabc" }]
      ) {
        const answer = yield* post(`${url}/api-keys/wallets`, body, { "x-api-key": key })
        assert.strictEqual(answer.status, 400, answer.text.slice(0, 200))
      }
      yield* get(`${url}/api-keys/${id}`, { method: "DELETE", headers: admin })
      assert.strictEqual((yield* link(key, message, signature)).status, 401)
    }))

  it.effect("links a contract wallet whose owner signed (EIP-1271), and none whose owner did not", () =>
    Effect.gen(function*() {
      const { chains } = yield* Running
      const { id, key } = yield* newKey
      const owner = yield* userAt(3)
      const stranger = yield* userAt(4)
      const deployed = yield* Effect.promise(async () => {
        const { createWalletClient, defineChain, http } = await import("viem")
        const chain = defineChain({
          id: chains.beta.chainId,
          name: "beta",
          nativeCurrency: { name: "E", symbol: "E", decimals: 18 },
          rpcUrls: { default: { http: [chains.beta.url] } }
        })
        const wallet = createWalletClient({ account: privateKeyToAccount(owner.user), chain, transport: http() })
        const hash = await wallet.sendTransaction({
          data: encodeDeployData({ abi: walletAbi, bytecode: walletCode, args: [owner.address] })
        })
        return reader(chains.beta).waitForTransactionReceipt({ hash })
      })
      const wallet = deployed.contractAddress ?? "0x"
      const message = yield* challenge({ wallet }, key)
      refused(yield* link(key, message, yield* signed(stranger.user, message)), "WRONG_SIGNATURE")
      assert.isNull(yield* walletOf(id))
      const linked = yield* link(key, message, yield* signed(owner.user, message))
      assert.strictEqual(linked.status, 200, linked.text)
      assert.strictEqual(yield* walletOf(id), wallet.toLowerCase())
      // On the other chain there is no contract at that address.
      assert.strictEqual(yield* Effect.promise(() => reader(chains.alpha).getCode({ address: wallet })), undefined)
    }))

  it.effect("lets a contract that accepts everything link itself and no other; other answers are refused", () =>
    Effect.gen(function*() {
      const { id, key } = yield* newKey
      const victim = yield* userAt(5)
      for (const [index, [name, code]] of Object.entries(contracts).entries()) {
        const wallet: Hex = `0x${(0xc0de_0000 + index).toString(16).padStart(40, "a")}`
        yield* setCode(wallet, code)
        const message = yield* challenge({ wallet }, key)
        const answer = yield* link(key, message, "0x1234")
        if (name !== "yesToAll") {
          refused(answer, "WRONG_SIGNATURE")
          continue
        }
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(yield* walletOf(id), wallet)
        const forVictim = yield* challenge({ wallet: victim.address }, key)
        refused(yield* link(key, forVictim, "0x1234"), "WRONG_SIGNATURE")
        refused(yield* link(key, forVictim.replace(/0x[0-9a-fA-F]{40}/, wallet), "0x1234"), "MALFORMED_MESSAGE")
        assert.strictEqual(yield* walletOf(id), wallet)
      }
    }))

  it.effect("does not fetch URLs that a contract names (EIP-3668)", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const { key } = yield* newKey
      let fetched = 0
      const trap = createServer((_, response) => {
        fetched += 1
        response.end("{}")
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void trap.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => trap.close())
      )
      const wallet: Hex = `0x${"0ff".padStart(40, "c")}`
      const port = (trap.address() as AddressInfo).port
      const lookup = encodeErrorResult({
        abi: parseAbi([
          "error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)"
        ]),
        errorName: "OffchainLookup",
        args: [wallet, [`http://127.0.0.1:${port}/{sender}/{data}`], "0x", "0x1626ba7e", "0x"]
      })
      const size = ((lookup.length - 2) / 2).toString(16).padStart(4, "0")
      // CODECOPY of the bytes after the code, and a revert with them.
      const code: Hex = `0x61${size}600f60003961${size}6000fd00${lookup.slice(2)}`
      yield* setCode(wallet, code)
      assert.strictEqual(
        yield* Effect.promise(() =>
          reader(chains.beta).call({ to: wallet, data: "0x" }).then(() => "returned", () => "failed")
        ),
        "failed"
      )
      assert.isAbove(fetched, 0, "the trap works: viem's own call walks into it")
      fetched = 0
      const message = yield* challenge({ wallet }, key)
      refused(yield* link(key, message, "0x1234"), "WRONG_SIGNATURE")
      assert.strictEqual(fetched, 0)
      assert.strictEqual((yield* get(`${url}/lives`)).status, 200)
    }).pipe(Effect.scoped))

  it.effect("lets a wallet unlink itself from one key or all, without any key, and no other wallet", () =>
    Effect.gen(function*() {
      const keys = yield* Effect.all([newKey, newKey, newKey])
      const { address, user } = yield* userAt(6)
      const stranger = yield* userAt(7)
      for (const { key } of keys) {
        const message = yield* challenge({ wallet: address }, key)
        assert.strictEqual((yield* link(key, message, yield* signed(user, message))).status, 200)
      }
      const wallets = Effect.forEach(keys, ({ id }) => walletOf(id))
      const mine = address.toLowerCase()
      const [one, ...others] = keys
      const first = yield* challenge({ wallet: address, action: "unlink", apiKeyId: one?.id })
      assert.include(first, `The API key ${one?.id} may not spend`)
      refused(yield* unlinkSigned(first, yield* signed(stranger.user, first)), "WRONG_SIGNATURE")
      refused(yield* link(one?.key ?? "", first, yield* signed(user, first)), "WRONG_PURPOSE")
      assert.deepStrictEqual((yield* unlinkSigned(first, yield* signed(user, first))).json(), { unlinked: [one?.id] })
      assert.deepStrictEqual(yield* wallets, [null, mine, mine])
      refused(yield* unlinkSigned(first, yield* signed(user, first)), "NONCE_USED")
      const strangers = yield* challenge({ wallet: stranger.address, action: "unlink" })
      assert.deepStrictEqual((yield* unlinkSigned(strangers, yield* signed(stranger.user, strangers))).json(), {
        unlinked: []
      })
      assert.deepStrictEqual(yield* wallets, [null, mine, mine])
      const all = yield* challenge({ wallet: address, action: "unlink" })
      assert.deepStrictEqual((yield* unlinkSigned(all, yield* signed(user, all))).json(), {
        unlinked: others.map(({ id }) => id).toSorted()
      })
      assert.deepStrictEqual(yield* wallets, [null, null, null])
    }))

  it.effect("maps an exchange A transfer to an order by nonce: the first signed mapping counts, for ever", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { key } = yield* newKey
      const { address, user } = yield* userAt(8)
      const stranger = yield* userAt(9)
      const id = `0x${"1d".repeat(32)}` as const
      const nonce = 1_790_000_000_123
      const signatureOf = (by: Hex, changes: object = {}) =>
        Effect.promise(() =>
          privateKeyToAccount(by).signTypedData({
            domain: {
              name: "RelayNonceMapping",
              version: "2",
              chainId: 42_161,
              verifyingContract: "0x0000000000000000000000000000000000000000"
            },
            types: {
              NonceMapping: [
                { name: "chainId", type: "string" },
                { name: "wallet", type: "address" },
                { name: "depositor", type: "address" },
                { name: "id", type: "bytes32" },
                { name: "nonce", type: "uint256" }
              ]
            },
            primaryType: "NonceMapping",
            message: { chainId: "exchangea", wallet: address, depositor: address, id, nonce: BigInt(nonce), ...changes }
          })
        )
      const body = {
        type: "nonce-mapping",
        walletChainId: "exchangea",
        wallet: address,
        depositor: address,
        nonce,
        id,
        signatureChainId: 42_161
      }
      const authorize = (signature: string, changes: object = {}) =>
        post(`${url}/authorize?signature=${signature}`, { ...body, ...changes })
      const good = yield* signatureOf(user)
      const query = (path: string, headers: Record<string, string> = { "x-api-key": key }) =>
        get(`${url}/queries/nonce-mappings/${path}/v1`, { headers })
      const mapping = Effect.suspend(() => query(`exchangea/${address}/${nonce}`))
      const none = yield* mapping
      assert.strictEqual(none.status, 404)
      assert.strictEqual(
        Schema.decodeUnknownSync(Schema.Struct({ code: Schema.String }))(none.json()).code,
        "NONCE_MAPPING_NOT_FOUND"
      )
      const strangers = yield* signatureOf(stranger.user)
      const forOther = yield* signatureOf(user, { depositor: stranger.address })
      for (
        const [signature, changes] of [
          [strangers, {}],
          [good, { nonce: nonce + 1 }],
          [good, { walletChainId: "exchangea-testnet" }],
          [good, { signatureChainId: 1 }],
          [good, { id: `0x${"2d".repeat(32)}` }],
          [forOther, { depositor: stranger.address }],
          [good, { walletChainId: 1 }],
          [good, { type: "other" }],
          ["0x12", {}]
        ] as const
      ) {
        assert.strictEqual((yield* authorize(signature, changes)).status, 400, JSON.stringify(changes))
      }
      assert.strictEqual((yield* mapping).status, 404)
      assert.strictEqual((yield* authorize(good)).status, 200)
      assert.strictEqual((yield* authorize(good, { nonce: `${nonce}` })).status, 200)
      const other = `0x${"2d".repeat(32)}` as const
      assert.strictEqual((yield* authorize(yield* signatureOf(user, { id: other }), { id: other })).status, 400)
      assert.strictEqual((yield* query(`exchangea/${address}/${nonce}`, {})).status, 401)
      const chain = { ...knownChain, slug: ChainSlug.make("exchangea") }
      // As the oracle reads it.
      const found = yield* Effect.flatMap(
        HubMappings.HubMappings,
        ({ find }) => find(chain, Address.make(address.toLowerCase()), BigInt(nonce))
      ).pipe(
        Effect.provide(HubMappings.layer({ url: Redacted.make(url), key: Redacted.make(key) }))
      )
      assert.deepStrictEqual([found?.chain, found?.wallet, found?.nonce, found?.id, found?.signature].map(String), [
        "exchangea",
        address.toLowerCase(),
        `${nonce}`,
        id,
        good
      ])
      assert.isTrue(found !== undefined && isOwnMapping(found))
    }).pipe(Effect.scoped))
})
