/**
 * A store with exchange B that is restored from a backup: it holds payments until no earlier one can appear, finds what
 * was paid since, and pays each deposit once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dirname, join } from "node:path"
import { serve } from "../../../localnet/nodes/exchange-b/ExchangeB.ts"
import { startExchangeBNetwork } from "../../testing/ExchangeBNetwork.ts"
import { eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { heldOnExchangeB, openOn, PERPS, signedOnExchangeB, SPOT, toExchangeB } from "../../testing/PaidOnExchangeB.ts"
import { runDoctor, runOperation } from "../../testing/RunOperation.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"

/** What a host has signed, submitted by somebody who has kept the bytes. */
const submitted = (url: string, raw: string) =>
  Effect.promise(async () => {
    const body = new URLSearchParams({ tx_type: "12", tx_info: raw })
    const answer = await fetch(`${url}/api/v1/sendTx`, { method: "POST", body })
    return answer.text()
  })

describe("a store with exchange B that is restored from a backup", () => {
  it.live("pays each deposit once: what was paid, what came later, and what never came; and the doctor agrees", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startExchangeBNetwork
      const { environment, misbehave, startHost, state, store } = network
      const file = join(dirname(store.slice("sqlite:".length)), "backups", "one.db")
      const first = yield* startHost()
      const begin = (currency: string, index: number) =>
        toExchangeB(network, first.url, [currency, openOn(state)], index)
      const [paid, late, lost] = [yield* begin(PERPS, 0), yield* begin(SPOT, 1), yield* begin(PERPS, 2)]
      const backedUp = yield* runOperation("backup", environment, file)
      assert.strictEqual(backedUp.code, 0, backedUp.error)

      yield* paid.pay
      assert.deepInclude(yield* endedAnywhere(first.url, paid.quoted), { status: "success" })
      // Both are signed, and not executed before the host is lost.
      yield* misbehave({ kind: "away", questions: ["api/v1/sendTx"] })
      yield* late.pay
      yield* eventually("it is signed", signedOnExchangeB(store), (raws) => raws.length === 2)
      yield* lost.pay
      const raws = yield* eventually("all are signed", signedOnExchangeB(store), (found) => found.length === 3)
      yield* first.kill("SIGKILL")

      const restored = yield* runOperation("restore", environment, file)
      assert.strictEqual(restored.code, 0, restored.error)
      const second = yield* startHost()
      const said = Effect.sync(second.output)
      // It waits, however often it looks: what was signed before may still be executed.
      yield* eventually(
        "decisions are held",
        said,
        (output) => output.split("are held until").length > 5 || output.includes("go on")
      )
      assert.notInclude(second.output(), "go on")
      assert.lengthOf(yield* signedOnExchangeB(store), 0)
      // The exchange takes what somebody has kept, and soon what uses the nonces up.
      assert.include(yield* submitted(yield* serve(state), raws[1] ?? ""), "\"tx_hash\"")
      assert.strictEqual(heldOnExchangeB(state, SPOT, late.recipient), late.amount)
      yield* misbehave(undefined)
      yield* eventually("payments go on", said, (output) => output.includes("exchangeb-local go on"))
      // What never came is taken no more.
      assert.include(yield* submitted(yield* serve(state), raws[2] ?? ""), "invalid nonce")

      for (const { amount, currency, quoted, recipient } of [paid, late, lost]) {
        assert.deepInclude(yield* endedAnywhere(second.url, quoted), { status: "success" })
        assert.strictEqual(heldOnExchangeB(state, currency, recipient), amount)
      }
      yield* eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)
      for (const { amount, currency, recipient } of [paid, late, lost]) {
        assert.strictEqual(heldOnExchangeB(state, currency, recipient), amount)
      }
      const doctor = yield* runDoctor(environment)
      assert.deepInclude(JSON.parse(doctor.out), { findings: [] })
      yield* second.kill("SIGTERM")
    })))
})
