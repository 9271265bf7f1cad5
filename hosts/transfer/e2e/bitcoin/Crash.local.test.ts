/** Between signing and sending, where a second payment could arise. `Bitcoin.long` kills at every place. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { newBitcoinAddress } from "../../testing/BitcoinAddressed.ts"
import { FINAL_AFTER, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { runDoctor } from "../../testing/RunOperation.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { fill } from "../crash/testing/BitcoinScenarios.ts"

describe("a host that is killed around a payment on Bitcoin", () => {
  it.live("has paid exactly once after the restart: signed and stored, and not sent", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startBitcoinNetwork
      const { bitcoin, environment, heldOnBitcoin, startHost, startInstance } = network
      const recipient = newBitcoinAddress()
      const killed = yield* startHost({ FAILPOINT: "Payments.signOnce fill:after" })
      const { least, pay, request } = yield* fill(network, killed.url, recipient)
      yield* pay
      assert.strictEqual(yield* killed.ended, "SIGKILL")
      tally("kills", 1)
      assert.isEmpty(bitcoin.chain.ledger.idsOf(recipient))
      const host = yield* startInstance()
      const ended = yield* Effect.raceFirst(endedAnywhere(host.url, request), slowingBlocks(bitcoin.mine()))
      assert.strictEqual(ended.status, "success")
      // Nothing more comes, however long it goes on.
      yield* bitcoin.mine(FINAL_AFTER + 1)
      yield* host.stop
      assert.lengthOf(bitcoin.chain.ledger.idsOf(recipient), 1)
      assert.strictEqual(heldOnBitcoin(recipient), least)
      const doctor = yield* runDoctor(environment)
      assert.deepInclude(JSON.parse(doctor.out), { findings: [] })
    })))
})
