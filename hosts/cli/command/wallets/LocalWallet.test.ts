/** Keys as wallets write them, each for the account that its family's library says. What they sign is tested on chains. */
import { assert, describe, it } from "@effect/vitest"
import { base58 } from "@scure/base"
import { ConfigProvider, Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { RequestListener, Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ServedChain } from "../ServedChains.ts"
import { localWallet } from "./LocalWallet.ts"

const native = { id: "x", symbol: "X", name: "X", address: "0x", decimals: 18, supportsBridging: true }
const chainOf = (vmType: string, httpRpcUrl: string | null = "http://127.0.0.1:1"): ServedChain => ({
  id: 1,
  name: "one",
  displayName: "One",
  vmType,
  slug: "one",
  httpRpcUrl,
  explorerUrl: null,
  depositEnabled: true,
  disabled: false,
  currency: native,
  erc20Currencies: [],
  solverCurrencies: [],
  solverAddresses: [],
  protocol: { v2: { chainId: "one", depository: "0x" } }
})

/** RFC 8032, test 1: its seed and public key. */
const ed25519 = Uint8Array.from(
  Buffer.from(
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "hex"
  )
)
const one = "01".padStart(64, "0")

const opened = (chain: ServedChain, key: string, file?: string, node?: string) =>
  localWallet(chain, file, node).pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown(key === "" ? {} : { WALLET_PRIVATE_KEY: key })
    )
  )

const serving = (answer: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<Server>((resolve) => {
        const server = createServer(answer).listen(0, "127.0.0.1", () => resolve(server))
      })
    ),
    (server) => Effect.sync(() => server.close())
  ).pipe(Effect.map((server) => {
    const address = server.address()
    return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : assert.fail()
  }))

/** An explorer of a chain that begins with this block. */
const explorerOf = (first: string) =>
  Effect.map(
    serving((request, response) => response.writeHead(request.url === "/api/block-height/0" ? 200 : 404).end(first)),
    (url) => `${url}/api/`
  )

/** A node of an EVM chain of this number. */
const nodeOf = (chainId: number) =>
  serving((_, response) =>
    response.writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id: 0, result: `0x${chainId.toString(16)}` }))
  )

describe("a wallet by a key of this machine", () => {
  it.live("on an EVM chain asks its node which chain it is of, before it asks for money", () =>
    Effect.gen(function*() {
      const another = yield* Effect.flip(opened(chainOf("evm"), `0x${one}`, undefined, yield* nodeOf(5)))
      assert.deepStrictEqual(
        [another.reason, another.message],
        ["not-configured", "--rpc-url: the node there is one of chain 5, and one is chain 1"]
      )
      const named = yield* Effect.flip(opened(chainOf("evm", yield* nodeOf(5)), `0x${one}`))
      assert.include(named.message, "the node that the service names: ")
      const silent = yield* Effect.flip(
        opened(
          chainOf("evm"),
          `0x${one}`,
          undefined,
          yield* serving((_, response) => response.writeHead(404).end("no"))
        )
      )
      assert.include(silent.message, "--rpc-url: no node of one answers there")
    }).pipe(Effect.scoped))

  it.live("is the account that its family's library makes of the key", () =>
    Effect.gen(function*() {
      const evm = yield* nodeOf(1)
      const cases = [
        ["evm", `0x${one}`, "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"],
        ["svm", base58.encode(ed25519), base58.encode(ed25519.subarray(32))],
        ["svm", JSON.stringify([...ed25519]), base58.encode(ed25519.subarray(32))],
        ["hypevm", `0x${one}`, "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"],
        ["lvm", `1001:2:0x${"12".repeat(40)}:${one}`, "1001"],
        ["tvm", one, "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC"]
      ] as const
      for (const [vmType, key, account] of cases) {
        const node = vmType === "evm" ? evm : vmType === "hypevm" || vmType === "lvm" ? "http://127.0.0.1:1" : undefined
        assert.strictEqual((yield* opened(chainOf(vmType), key, undefined, node)).account, account, vmType)
      }
    }).pipe(Effect.scoped))

  it.live("on Bitcoin is the P2WPKH address of the network that its explorer has, by BIP-173", () =>
    Effect.gen(function*() {
      const cases = [
        [
          "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
          "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
        ],
        [
          "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943",
          "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
        ],
        ["0f".repeat(32), "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"]
      ] as const
      for (const [first, account] of cases) {
        const node = yield* explorerOf(first)
        for (const key of [one, `0x${one}`, "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn"]) {
          assert.strictEqual((yield* opened(chainOf("bvm"), key, undefined, node)).account, account)
        }
        const wrong = yield* Effect.flip(opened(chainOf("bvm"), "5secret", undefined, node))
        assert.strictEqual(wrong.reason, "not-configured")
        assert.notInclude(wrong.message, "secret")
      }
      for (const node of [yield* explorerOf("<html>"), "http://127.0.0.1:1"]) {
        const { message } = yield* Effect.flip(opened(chainOf("bvm"), one, undefined, node))
        assert.include(message, "--rpc-url: no Esplora-compatible explorer")
      }
    }).pipe(Effect.scoped))

  it.live("takes its key from a file, whatever ends the line", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(join(tmpdir(), "causeway-key-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const file = join(folder, "key")
      writeFileSync(file, `0x${one}\n`)
      const { account } = yield* opened(chainOf("evm", yield* nodeOf(1)), "", file)
      assert.strictEqual(account, "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf")
    }).pipe(Effect.scoped))

  it.effect("is refused without a key, by one that is none, and where no wallet is, and no message has the key", () =>
    Effect.gen(function*() {
      const secret = "0xsecret"
      const cases = [
        [chainOf("evm"), "", "not-configured"],
        [chainOf("evm"), secret, "not-configured"],
        [chainOf("svm"), secret, "not-configured"],
        [chainOf("tvm"), secret, "not-configured"],
        [chainOf("bvm"), secret, "usage"],
        [chainOf("lvm"), `1001:2:${secret}:${one}`, "usage"],
        [chainOf("xvm"), secret, "no-wallet"],
        [chainOf("evm", null), secret, "usage"]
      ] as const
      for (const [chain, key, reason] of cases) {
        const failure = yield* Effect.flip(opened(chain, key))
        assert.strictEqual(failure.reason, reason, chain.vmType)
        assert.notInclude(failure.message, "secret")
      }
    }))
})
