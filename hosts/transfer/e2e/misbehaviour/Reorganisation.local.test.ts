import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, reader, status } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import type { LyingNode } from "../../testing/LyingNode.ts"
import {
  alarms,
  assertDelivered,
  assertFilledOnce,
  assertRefundedOnce,
  balanceOf,
  closed,
  eventually,
  holdMining,
  paymentsOf,
  resumeMining,
  startMisbehaving
} from "../../testing/Misbehaving.ts"
import { sendRaw, signDeposit } from "../../testing/SignedDeposit.ts"
import { quoteNative, startFixture } from "../../testing/Fixture.ts"
import { ADMIN_TOKEN, lossesOf } from "./testing/Halted.ts"

class Running extends fixtureOf<Running>()(
  "test/ReorganisedRunning",
  startFixture(startMisbehaving, { settings: { ADMIN_TOKEN } })
) {}

const ask = (index: number, recipient: Hex, refundTo: Hex) =>
  Effect.flatMap(Running, (running) => quoteNative(running, index, parseEther("0.2"), { recipient, refundTo }))

/** Another user's deposit, which names no order of ours. */
const foreign = (quoted: QuoteAnswer) =>
  Effect.flatMap(
    Running,
    ({ chains, key }) =>
      signDeposit(chains.alpha, key(9), quoted, { orderId: `0x${"77".repeat(32)}`, value: 1n, extraTip: 1_000n })
  )

/** Waits until the host has read receipts from the node several more times. */
const looks = (node: LyingNode) =>
  Effect.suspend(() => {
    const before = node.calls("eth_getTransactionReceipt")
    const since = Effect.sync(() => node.calls("eth_getTransactionReceipt") - before)
    return eventually("the host guards what it has done", since, (count) => count >= 3)
  })

layer(Running.layer, { excludeTestServices: true })("a reorg", (it) => {
  it.effect("moves a filled deposit to another log index: it is filled once and never refunded", () =>
    Effect.gen(function*() {
      const { alphaNode, chains: { alpha, beta, solver }, key, url } = yield* Running
      const [recipient, refundTo] = [
        "0x000000000000000000000000000000000000c007",
        "0x000000000000000000000000000000000000c017"
      ] as const
      const [filledBefore, goneBefore] = [yield* closed(url, "filled"), yield* closed(url, "gone")]
      const quoted = yield* ask(0, recipient, refundTo)
      yield* holdMining(alpha)
      const before = yield* alpha.request("evm_snapshot")
      const raw = yield* signDeposit(alpha, key(0), quoted)
      const hash = yield* sendRaw(alpha, raw)
      yield* alpha.mine()
      assert.strictEqual((yield* ended(url, quoted)).status, "success")

      // The host sees the new chain only once it is complete.
      alphaNode.hang()
      yield* alpha.request("evm_revert", [before])
      yield* alpha.request("evm_increaseTime", [1])
      yield* sendRaw(alpha, yield* foreign(quoted))
      yield* sendRaw(alpha, raw)
      yield* alpha.mine(4)
      const moved = yield* Effect.promise(() => reader(alpha).getTransactionReceipt({ hash }))
      assert.strictEqual(moved.logs[0]?.logIndex, 1)
      alphaNode.tellTheTruth()
      yield* resumeMining(alpha)

      yield* eventually(
        "the deposit is gone from its first place, and filled in the other",
        Effect.all([closed(url, "filled"), closed(url, "gone")]),
        ([filled, gone]) => filled === filledBefore + 1 && gone === goneBefore + 1
      )
      yield* assertDelivered({ beta }, quoted, recipient)
      assert.strictEqual(yield* balanceOf(alpha, refundTo), 0n)
      yield* assertFilledOnce({ alpha, beta, solver }, quoted)
      assert.strictEqual((yield* status(url, quoted)).status, "success")
    }))

  it.effect("removes a filled deposit, a second one of the order takes its payment over, and the first one comes back: it is refunded once, and its booked loss is recovered", () =>
    Effect.gen(function*() {
      const { alphaNode, chains: { alpha, beta, solver }, key, url } = yield* Running
      const [recipient, refundTo] = [
        "0x000000000000000000000000000000000000f007",
        "0x000000000000000000000000000000000000f017"
      ] as const
      const before = {
        filled: yield* closed(url, "filled"),
        refunded: yield* closed(url, "refunded"),
        alarms: yield* alarms(url, "filled-deposit-gone")
      }
      const quoted = yield* ask(3, recipient, refundTo)
      yield* holdMining(alpha)
      const snapshot = yield* alpha.request("evm_snapshot")
      const raw = yield* signDeposit(alpha, key(3), quoted)
      yield* sendRaw(alpha, raw)
      yield* alpha.mine()
      assert.strictEqual((yield* ended(url, quoted)).status, "success")

      alphaNode.hang()
      yield* alpha.request("evm_revert", [snapshot])
      yield* alpha.request("evm_increaseTime", [1])
      yield* alpha.mine(4)
      alphaNode.tellTheTruth()
      yield* resumeMining(alpha)
      yield* eventually("the loss is booked", lossesOf(url, quoted), (all) => all.length === 1)
      assert.deepStrictEqual((yield* lossesOf(url, quoted)).map(({ kind, recoveredAt }) => [kind, recoveredAt]), [[
        "deposit",
        null
      ]])
      yield* eventually("the alarm", alarms(url, "filled-deposit-gone"), (count) => count === before.alarms + 1)

      yield* sendRaw(alpha, yield* signDeposit(alpha, key(4), quoted))
      yield* eventually(
        "the second deposit has the payment",
        closed(url, "filled"),
        (count) => count === before.filled + 1
      )
      assert.isString((yield* lossesOf(url, quoted))[0]?.recoveredAt)

      yield* sendRaw(alpha, raw)
      yield* eventually(
        "the first deposit is refunded",
        closed(url, "refunded"),
        (count) => count === before.refunded + 1
      )
      yield* assertRefundedOnce({ alpha, solver }, quoted, refundTo)
      assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
      yield* assertDelivered({ beta }, quoted, recipient)
      assert.lengthOf(yield* lossesOf(url, quoted), 1)
      yield* eventually("the alarm", alarms(url, "filled-deposit-gone"), (count) => count === before.alarms + 1)
    }))

  it.effect("removes a fill's revert before that is final: the order is filled and not refunded", () =>
    Effect.gen(function*() {
      const { alphaNode, betaNode, chains: { alpha, beta, solver }, key, url } = yield* Running
      const [recipient, refundTo] = [
        "0x000000000000000000000000000000000000d007",
        "0x000000000000000000000000000000000000d017"
      ] as const
      const filledBefore = yield* closed(url, "filled")
      const quoted = yield* ask(1, recipient, refundTo)
      yield* holdMining(beta)
      const before = yield* beta.request("evm_snapshot")
      let fill = ""
      let seenReverted = 0
      betaNode.lie(async ({ method, params }, truth) => {
        const answer = await truth()
        if (method === "eth_sendRawTransaction") fill = String(params?.[0])
        if (method === "eth_getTransactionReceipt" && answer.result !== null) seenReverted++
        return answer
      })
      yield* sendRaw(alpha, yield* signDeposit(alpha, key(1), quoted))
      yield* eventually("the fill is broadcast", Effect.sync(() => fill), (raw) => raw !== "")
      yield* beta.setCode(recipient, "0x60006000fd")
      yield* beta.mine()
      yield* eventually("the host has seen the revert", Effect.sync(() => seenReverted), (count) => count > 0)
      // Enough time for a refund by a host that would believe it.
      const polls = alphaNode.calls("eth_getBlockByNumber")
      yield* eventually(
        "two seconds of polling",
        Effect.sync(() => alphaNode.calls("eth_getBlockByNumber") - polls),
        (count) => count >= 12
      )
      assert.strictEqual((yield* status(url, quoted)).status, "submitted")
      assert.lengthOf(yield* paymentsOf(alpha, solver, quoted), 0)

      betaNode.hang()
      yield* beta.request("evm_revert", [before])
      yield* beta.request("evm_increaseTime", [1])
      yield* beta.request("eth_sendRawTransaction", [fill])
      yield* beta.mine(4)
      betaNode.tellTheTruth()
      yield* resumeMining(beta)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* eventually("the deposit is closed as filled", closed(url, "filled"), (count) => count === filledBefore + 1)
      yield* assertDelivered({ beta }, quoted, recipient)
      assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
      assert.strictEqual(yield* balanceOf(alpha, refundTo), 0n)
    }))

  it.effect("makes a fill that was shown as success revert for good: an alarm says so and the deposit is refunded", () =>
    Effect.gen(function*() {
      const { betaNode, chains: { alpha, beta, solver }, host, key, url } = yield* Running
      const [recipient, refundTo] = [
        "0x000000000000000000000000000000000000e007",
        "0x000000000000000000000000000000000000e017"
      ] as const
      const refundedBefore = yield* closed(url, "refunded")
      const quoted = yield* ask(2, recipient, refundTo)
      yield* holdMining(beta)
      const before = yield* beta.request("evm_snapshot")
      let fill = ""
      betaNode.lie(async ({ method, params }, truth) => {
        const answer = await truth()
        // Only now does the chain have it.
        if (method === "eth_sendRawTransaction") fill = String(params?.[0])
        return answer
      })
      yield* sendRaw(alpha, yield* signDeposit(alpha, key(2), quoted))
      yield* eventually("the fill is broadcast", Effect.sync(() => fill), (raw) => raw !== "")
      yield* beta.mine()
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* looks(betaNode)

      betaNode.hang()
      yield* beta.request("evm_revert", [before])
      yield* beta.request("evm_increaseTime", [1])
      yield* beta.setCode(recipient, "0x60006000fd")
      yield* beta.request("eth_sendRawTransaction", [fill])
      yield* beta.mine(4)
      betaNode.tellTheTruth()
      yield* resumeMining(beta)
      yield* eventually("the alarm", alarms(url, "fill-reverted-by-reorganisation"), (count) => count === 1)
      assert.match(host.output(), /"ERROR".*reverted by a reorganisation|reverted by a reorganisation.*"ERROR"/i)
      yield* eventually(
        "the deposit is closed as refunded",
        closed(url, "refunded"),
        (count) => count === refundedBefore + 1
      )
      const refunded = yield* assertRefundedOnce({ alpha, solver }, quoted, refundTo)
      assert.isTrue(refunded > parseEther("0.199") && refunded < parseEther("0.2"))
      assert.strictEqual(yield* balanceOf(beta, recipient), 0n)
      assert.strictEqual((yield* status(url, quoted)).status, "success")
    }))
})
