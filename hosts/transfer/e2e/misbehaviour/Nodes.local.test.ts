import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256, parseEther } from "viem"
import type { Hex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, reader, sendDeposit, status } from "../../testing/Client.ts"
import { lyingNode } from "../../testing/LyingNode.ts"
import {
  assertDelivered,
  assertFilledOnce,
  balanceOf,
  closed,
  counter,
  eventually,
  orderIdOf,
  startMisbehaving
} from "../../testing/Misbehaving.ts"
import { sendRaw, signDeposit } from "../../testing/SignedDeposit.ts"
import { quoteNative } from "../../testing/Fixture.ts"

class Network extends fixtureOf<Network>()("test/NodesNetwork", startMisbehaving) {}

/** A transfer of the user with this index from alpha to beta, quoted by the host at `url`. */
const ask = Effect.fnUntraced(function*(url: string, index: number, recipient: Hex) {
  const network = yield* Network
  const quoted = yield* quoteNative({ ...network, url }, index, parseEther("0.1"), { recipient })
  return { key: network.key(index), quoted, recipient }
})

type Asked = Effect.Success<ReturnType<typeof ask>>

/** Asserts that the exact amount was paid once, and that the status says so. */
const assertFilled = Effect.fnUntraced(function*(url: string, { quoted, recipient }: Asked) {
  const { chains } = yield* Network
  assert.strictEqual((yield* ended(url, quoted)).status, "success")
  yield* assertDelivered(chains, quoted, recipient)
  yield* assertFilledOnce(chains, quoted)
})

layer(Network.layer, { excludeTestServices: true })("a node that lies about a deposit", (it) => {
  it.effect("has no receipt, no logs or no block for a while: nothing is lost and nothing counts as gone", () =>
    Effect.scoped(Effect.gen(function*() {
      const { alphaNode, chains: { alpha }, startInstance } = yield* Network
      const { url } = yield* startInstance()

      const unreceipted = yield* ask(url, 0, "0x000000000000000000000000000000000000c600")
      let nulls = 0
      alphaNode.lie(async ({ method }, truth) =>
        method === "eth_getTransactionReceipt" && nulls++ < 3 ? { result: null } : truth()
      )
      yield* sendDeposit(alpha, unreceipted.key, unreceipted.quoted)
      yield* assertFilled(url, unreceipted)
      assert.isAbove(nulls, 3)

      const unlogged = yield* ask(url, 1, "0x000000000000000000000000000000000000c180")
      let hidden = 0
      alphaNode.lie(async ({ method }, truth) => {
        const answer = await truth()
        const found = method === "eth_getLogs" &&
          JSON.stringify(answer.result).includes(orderIdOf(unlogged.quoted).slice(2))
        return found && hidden++ < 2 ? { result: [] } : answer
      })
      yield* sendDeposit(alpha, unlogged.key, unlogged.quoted)
      yield* assertFilled(url, unlogged)
      assert.isAbove(hidden, 2)
      assert.strictEqual(yield* closed(url, "gone"), 0)
    })))

  it.effect("shows it gone and then back in the same block: it is rechecked and filled once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { alphaNode, chains: { alpha }, startInstance } = yield* Network
      const { url } = yield* startInstance()
      const asked = yield* ask(url, 2, "0x000000000000000000000000000000000000c200")
      const raw = yield* signDeposit(alpha, asked.key, asked.quoted)
      let height = ""
      let receipts = 0
      alphaNode.lie(async ({ method, params }, truth) => {
        const answer = await truth()
        // Only for this deposit: the scan passes the blocks of earlier ones too.
        const looked = method === "eth_getTransactionReceipt" && params?.[0] === keccak256(raw)
        if (looked) receipts += 1
        // The first reading finds the deposit. Later ones do not.
        if (looked && receipts > 1) return { result: null }
        const replaced = method === "eth_getBlockByNumber" && params?.[0] === height && receipts > 1
        return replaced ? { result: Object.assign({}, answer.result, { hash: `0x${"ee".repeat(32)}` }) } : answer
      })
      const hash = yield* sendRaw(alpha, raw)
      const { blockNumber } = yield* Effect.promise(() => reader(alpha).waitForTransactionReceipt({ hash }))
      height = `0x${blockNumber.toString(16)}`
      yield* eventually("the deposit is closed as gone", closed(url, "gone"), (count) => count > 0)
      yield* eventually("the request waits again", status(url, asked.quoted), (answer) => answer.status === "waiting")
      alphaNode.tellTheTruth()
      yield* assertFilled(url, asked)
    })))

  it.effect("serves another chain, and is the only one that answers: nothing of it is trusted", () =>
    Effect.scoped(Effect.gen(function*() {
      const { alphaNode, chains: { alpha, beta, solver }, startInstance } = yield* Network
      const host = yield* startInstance({ ALPHA_RPC_URL: `${alphaNode.url},${beta.url}` })
      const { url } = host
      const asked = yield* ask(url, 3, "0x000000000000000000000000000000000000c120")
      const later = yield* ask(url, 4, "0x000000000000000000000000000000000000c121")
      alphaNode.lie(async () => Promise.reject(new Error("down")))
      yield* sendRaw(beta, yield* signDeposit(beta, asked.key, asked.quoted))
      // On its own chain the deposit is found, and is refunded there.
      const end = yield* ended(url, asked.quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "DEPOSIT_CHAIN_MISMATCH"])
      yield* eventually(
        "alpha has been asked in vain",
        counter(url, "retries_total", "heads of alpha"),
        (count) => count > 0
      )
      alphaNode.tellTheTruth()
      yield* sendDeposit(alpha, later.key, later.quoted)
      // The cursor is unaffected: later deposits on the real chain are seen.
      yield* assertFilled(url, later)
      assert.strictEqual(yield* balanceOf(beta, asked.recipient), 0n)
      yield* assertFilledOnce({ alpha, beta, solver }, asked.quoted)
    })))

  it.effect("hangs as the first of two: the chain is served by the second", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha }, startInstance } = yield* Network
      const hole = yield* lyingNode(alpha.url)
      hole.hang()
      const { url } = yield* startInstance({ ALPHA_RPC_URL: `${hole.url},${alpha.url}` })
      const asked = yield* ask(url, 5, "0x000000000000000000000000000000000000c19b")
      yield* sendDeposit(alpha, asked.key, asked.quoted)
      yield* assertFilled(url, asked)
      // After one unanswered call it comes last, so not every read waits for it.
      assert.isAbove(hole.calls("eth_chainId"), 0)
      // One of them is the check of the configuration.
      assert.isAtMost(hole.calls("eth_chainId"), 4)
    })))
})
