/**
 * A service with Bitcoin whose store was restored from a backup, after a SIGKILL: payments since the backup are found,
 * those in no block can never be in one, also when the explorer hides their coins, and each order is paid once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { runDoctor, runOperation } from "../../testing/RunOperation.ts"
import { endedAnywhere, statusAnywhere } from "../../testing/SolanaClient.ts"
import { startRestored } from "./testing/RestoredBitcoin.ts"

const isCoins = Schema.is(Schema.Array(Schema.Struct({ txid: Schema.String })))

describe("a store with Bitcoin that is restored from a backup", () => {
  it.live("finds what was paid since, makes impossible what was in no block, and pays each order once; the doctor agrees", () =>
    Effect.scoped(Effect.gen(function*() {
      const {
        arrivals,
        backup,
        bitcoin,
        environment,
        fill,
        newestPayment,
        refund,
        startHost,
        whileMining
      } = yield* startRestored
      const first = yield* startHost()
      // All are quoted before the backup. One ends before it, two after it, one waits for a block when the host is
      // lost, one is signed and on no node, and one comes later.
      const [before, after, waiting, lost, later] = yield* Effect.all([0, 1, 2, 3, 4].map((at) => fill(first.url, at)))
      if (!before || !after || !waiting || !lost || !later) return assert.fail("not all are quoted")
      const returned = yield* refund(first.url)
      yield* before.pay
      yield* whileMining(endedAnywhere(first.url, before.quoted))
      const backedUp = yield* runOperation("backup", environment, backup)
      assert.strictEqual(backedUp.code, 0, backedUp.error)
      yield* Effect.all([after.pay, returned.pay])
      yield* whileMining(
        Effect.all([endedAnywhere(first.url, after.quoted), endedAnywhere(first.url, returned.quoted)])
      )
      yield* waiting.pay
      yield* eventually(
        "a payment waits for a block",
        Effect.sync(() => bitcoin.chain.ledger.idsOf(waiting.recipient).length),
        (count) => count === 1
      )
      yield* first.kill("SIGKILL")
      const killed = yield* startHost({ FAILPOINT: "Payments.signOnce fill:after" })
      yield* lost.pay
      assert.strictEqual(yield* killed.ended, "SIGKILL")
      tally("kills", 2)
      const forgotten = yield* newestPayment
      assert.strictEqual(arrivals(lost.recipient)[0], 0)

      const restored = yield* runOperation("restore", environment, backup)
      assert.strictEqual(restored.code, 0, restored.error)
      // The explorer knows nothing of the coin that the forgotten payment spends.
      const hidden = new Set(forgotten.inputs.map(({ transactionId }) => transactionId))
      yield* bitcoin.setExplorerFault({
        kind: "lie",
        methods: ["/address"],
        tell: (result) => isCoins(result) ? result.filter(({ txid }) => !hidden.has(txid)) : result
      })
      const second = yield* startHost()
      yield* later.pay
      yield* Effect.sleep("1500 millis")
      for (const { quoted } of [after, lost, later]) {
        assert.notInclude(["success", "refund"], (yield* statusAnywhere(second.url, quoted)).status)
      }
      yield* whileMining(
        Effect.forEach(
          [before, after, waiting, lost, later],
          ({ quoted }) =>
            Effect.map(endedAnywhere(second.url, quoted), ({ status }) => assert.strictEqual(status, "success"))
        )
      )
      assert.strictEqual((yield* whileMining(endedAnywhere(second.url, returned.quoted))).status, "refund")
      yield* whileMining(eventually("all deposits are closed", openDeposits(environment), (open) => open === 0))

      // Whoever finds the lost bytes can send them: no node takes them any more.
      const sent = yield* Effect.exit(Effect.promise(() => bitcoin.chain.submit(forgotten.bytes)))
      yield* bitcoin.mine(7)
      for (const [at, { amount, recipient }] of [before, after, waiting, lost, later].entries()) {
        assert.deepStrictEqual(arrivals(recipient), [1, amount], `fill ${at}; the lost bytes: ${sent._tag}`)
      }
      assert.strictEqual(arrivals(returned.recipient)[0], 1)
      const doctor = yield* runDoctor(environment)
      assert.strictEqual(doctor.code, 0, `${doctor.out}${doctor.error}`)
    })))
})
