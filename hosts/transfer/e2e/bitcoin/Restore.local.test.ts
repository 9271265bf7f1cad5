/**
 * A service with Bitcoin whose store was restored from a backup, after a SIGKILL, and has forgotten sweeps: those in no
 * block can never be in one, and each deposit address is settled once. `RestoreBitcoin.long` does the same with fills.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { requestsOf } from "../../testing/Addressed.ts"
import { FINAL_AFTER } from "../../testing/BitcoinNetwork.ts"
import { alarms, eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { runDoctor, runOperation } from "../../testing/RunOperation.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { SOME, startRestored } from "../operations/testing/RestoredBitcoin.ts"

describe("a store with Bitcoin that is restored from a backup", () => {
  it.live("settles deposit addresses whose sweeps it has forgotten: each once, and later money there as well", () =>
    Effect.scoped(Effect.gen(function*() {
      const {
        addressed,
        arrivals,
        backup,
        bitcoin,
        environment,
        etherOf,
        heldOnBitcoin,
        newestPayment,
        startHost,
        whileMining
      } = yield* startRestored
      const first = yield* startHost()
      // Two are swept and paid after the backup. The sweep of one waits for a block, and that of another is on no node.
      const [filled, waiting, lost] = yield* Effect.all([0, 1, 2].map(() => addressed(first.url)))
      if (!filled || !waiting || !lost) return assert.fail("not all are quoted")
      const returned = yield* addressed(first.url, { strict: true })
      const backedUp = yield* runOperation("backup", environment, backup)
      assert.strictEqual(backedUp.code, 0, backedUp.error)
      yield* Effect.all([filled.pay(SOME), returned.pay(SOME - 1n)])
      yield* whileMining(
        Effect.all([endedAnywhere(first.url, filled.quoted), endedAnywhere(first.url, returned.quoted)])
      )
      yield* waiting.pay(SOME)
      yield* eventually("a sweep waits for a block", waiting.transactions, (count) => count === 2)
      yield* first.kill("SIGKILL")
      const killed = yield* startHost({ FAILPOINT: "Payments.signOnce sweep:after" })
      yield* lost.pay(SOME)
      assert.strictEqual(yield* killed.ended, "SIGKILL")
      tally("kills", 2)
      const forgotten = yield* newestPayment
      const [came] = bitcoin.chain.ledger.idsOf(lost.depositAddress)
      assert.include(forgotten.inputs.map(({ transactionId }) => transactionId), came)

      const restored = yield* runOperation("restore", environment, backup)
      assert.strictEqual(restored.code, 0, restored.error)
      const second = yield* startHost()
      for (const { quoted, recipient } of [filled, waiting, lost]) {
        assert.strictEqual((yield* whileMining(endedAnywhere(second.url, quoted))).status, "success")
        // The price is that of the sweep's block.
        const [got, promised] = [yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount)]
        assert.isTrue(got * 100n > promised * 99n && got * 100n < promised * 101n, `${got} of ${promised}`)
      }
      assert.strictEqual((yield* whileMining(endedAnywhere(second.url, returned.quoted))).status, "refund")
      yield* whileMining(eventually("all deposits are closed", openDeposits(environment), (open) => open === 0))
      // Whoever finds the lost bytes can send them: no node takes them any more.
      yield* Effect.exit(Effect.promise(() => bitcoin.chain.submit(forgotten.bytes)))
      yield* bitcoin.mine(FINAL_AFTER + 1)
      for (const { depositAddress, transactions } of [filled, waiting, lost, returned]) {
        assert.strictEqual(yield* transactions, 2)
        assert.strictEqual(heldOnBitcoin(depositAddress), 0n)
      }
      assert.strictEqual(arrivals(returned.refundTo)[0], 1)

      for (const what of ["paid-twice", "paid-unknown-order"]) assert.strictEqual(yield* alarms(second.url, what), 0)

      // The number of a forgotten sweep is used again.
      const before = yield* etherOf(filled.recipient)
      yield* filled.pay(SOME)
      const requests = yield* whileMining(
        eventually(
          "the later one is filled",
          requestsOf(second.url, filled.depositAddress),
          (found) => found.length === 2 && found.every(({ status }) => status === "success")
        )
      )
      assert.lengthOf(requests, 2)
      assert.isTrue((yield* etherOf(filled.recipient)) > before)
      yield* whileMining(eventually("all deposits are closed", openDeposits(environment), (open) => open === 0))
      const doctor = yield* runDoctor(environment)
      assert.strictEqual(doctor.code, 0, `${doctor.out}${doctor.error}`)
    })))
})
