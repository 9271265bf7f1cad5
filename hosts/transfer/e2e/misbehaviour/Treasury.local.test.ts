import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, sendDeposit, status } from "../../testing/Client.ts"
import {
  alarms,
  assertDelivered,
  assertRefundedOnce,
  balanceOf,
  eventually,
  holdMining,
  paymentsOf,
  resumeMining,
  runMisbehaving
} from "../../testing/Misbehaving.ts"
import { quoteNative } from "../../testing/Fixture.ts"

class Running extends fixtureOf<Running>()("test/TreasuryRunning", runMisbehaving) {}

const ask = (index: number, amount: bigint, changes: object) =>
  Effect.flatMap(Running, (running) => quoteNative(running, index, amount, changes))

layer(Running.layer, { excludeTestServices: true })("an empty treasury", (it) => {
  it.effect("makes a refund wait, with one alarm, and pays it once after a top-up", () =>
    Effect.gen(function*() {
      const { chains, host, key, url } = yield* Running
      const { alpha, solver } = chains
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
      const refunded = yield* assertRefundedOnce(chains, quoted, refundTo)
      assert.isTrue(refunded > parseEther("0.499") && refunded < parseEther("0.5"))
      assert.strictEqual(yield* alarms(url, "treasury-empty"), before + 1)
    }))

  it.effect("delays one payment that it cannot fund, and makes the others", () =>
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
      yield* eventually("there is one alarm", alarms(url, "treasury-empty"), (count) => count === before + 1)

      yield* beta.setBalance(solver, full)
      for (
        const [quoted, recipient] of [[one, recipients[0]], [other, recipients[1]], [small, recipients[2]]] as const
      ) {
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        yield* assertDelivered({ beta }, quoted, recipient)
        assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
      }
    }))
})
