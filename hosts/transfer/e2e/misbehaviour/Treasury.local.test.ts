import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { ended, nativeRequest, quote, sendDeposit, status } from "../../testing/Client.ts"
import {
  alarms,
  balanceOf,
  eventually,
  holdMining,
  paymentsOf,
  resumeMining,
  runMisbehaving
} from "../../testing/Misbehaving.ts"

class Running extends Context.Service<Running, Effect.Success<typeof runMisbehaving>>()("test/TreasuryRunning") {
  static readonly layer = Layer.effect(Running, runMisbehaving)
}

const ask = Effect.fnUntraced(function*(index: number, amount: bigint, changes: object) {
  const { chains, key, url } = yield* Running
  return yield* quote(
    url,
    nativeRequest(privateKeyToAccount(key(index)).address, chains.alpha, chains.beta, amount, changes)
  )
})

layer(Running.layer, { excludeTestServices: true })("a treasury without money", (it) => {
  it.effect("makes a refund wait, with one alarm, and pays it once after a top-up", () =>
    Effect.gen(function*() {
      const { chains: { alpha, solver }, host, key, url } = yield* Running
      const refundTo = "0x000000000000000000000000000000000000a002"
      const before = yield* alarms(url, "treasury-empty")
      const quoted = yield* ask(0, parseEther("1"), { refundTo })
      const full = yield* balanceOf(alpha, solver)
      yield* alpha.setBalance(solver, 1_000_000n)
      yield* sendDeposit(alpha, key(0), quoted, parseEther("0.5"))
      yield* eventually("the alarm", alarms(url, "treasury-empty"), (count) => count === before + 1)
      assert.include(host.output(), "lacks ETH or gas for a payment that is due")
      assert.notInclude(["success", "refund", "failure"], (yield* status(url, quoted)).status)
      assert.strictEqual(yield* balanceOf(alpha, refundTo), 0n)

      yield* alpha.setBalance(solver, full)
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL"])
      const refunds = yield* paymentsOf(alpha, solver, quoted)
      assert.lengthOf(refunds, 1)
      assert.strictEqual(yield* balanceOf(alpha, refundTo), refunds[0]?.value)
      assert.isTrue(
        refunds[0] !== undefined && refunds[0].value > parseEther("0.499") && refunds[0].value < parseEther("0.5")
      )
      assert.strictEqual(yield* alarms(url, "treasury-empty"), before + 1)
    }))

  it.effect("lets one payment wait that it cannot fund, and makes the others", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta, solver }, key, url } = yield* Running
      const recipients = [
        "0x000000000000000000000000000000000000a041",
        "0x000000000000000000000000000000000000a042",
        "0x000000000000000000000000000000000000a043"
      ] as const
      const before = yield* alarms(url, "treasury-empty")
      const full = yield* balanceOf(beta, solver)
      yield* beta.setBalance(solver, parseEther("1.5"))
      const [one, other, small] = yield* Effect.all([
        ask(1, parseEther("1"), { recipient: recipients[0] }),
        ask(2, parseEther("1"), { recipient: recipients[1] }),
        ask(3, parseEther("0.01"), { recipient: recipients[2] })
      ])
      // None is mined before all are signed: the chain's balance alone would allow each of them.
      yield* holdMining(beta)
      yield* Effect.all([sendDeposit(alpha, key(1), one), sendDeposit(alpha, key(2), other)], {
        concurrency: "unbounded"
      })
      const states = Effect.all([status(url, one), status(url, other)]).pipe(
        Effect.map((both) => both.map((each) => each.status).toSorted().join())
      )
      yield* eventually("one is paid and the other waits", states, (seen) => seen === "delayed,submitted")
      yield* sendDeposit(alpha, key(3), small)
      yield* eventually("what can be funded is paid", status(url, small), (seen) => seen.status === "submitted")
      yield* resumeMining(beta)
      assert.strictEqual((yield* ended(url, small)).status, "success")
      yield* eventually("the first is paid", states, (seen) => seen === "delayed,success")
      assert.strictEqual(yield* alarms(url, "treasury-empty"), before + 1)

      yield* beta.setBalance(solver, full)
      for (
        const [quoted, recipient] of [[one, recipients[0]], [other, recipients[1]], [small, recipients[2]]] as const
      ) {
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        assert.strictEqual(yield* balanceOf(beta, recipient), BigInt(quoted.details.currencyOut.amount))
        assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
      }
    }))
})
