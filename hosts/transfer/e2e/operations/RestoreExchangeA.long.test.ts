/**
 * A store with exchange A that is restored from a backup: it holds payments until no earlier one can appear, finds what
 * was paid since although the mappings are lost with the orders, and pays each deposit once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dirname, join } from "node:path"
import { readStored } from "../../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import { serve } from "../../../localnet/nodes/exchange-a/ExchangeA.ts"
import { EXCHANGE_A_CHAIN_ID } from "../../../localnet/nodes/exchange-a/ExchangeAChain.ts"
import { rowsBeside } from "../../testing/BesideStore.ts"
import { startExchangeANetwork } from "../../testing/ExchangeANetwork.ts"
import { eventually, openDeposits, orderIdOf } from "../../testing/Misbehaving.ts"
import { heldOnExchange, PERPS, SPOT, toExchangeA } from "../../testing/PaidOnExchangeA.ts"
import { runDoctor, runOperation } from "../../testing/RunOperation.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"

/** The payments on the exchange that the store has, as they were signed, oldest first. */
const signedIn = (store: string) =>
  Effect.map(
    rowsBeside(store, `SELECT raw FROM payments WHERE chain_id = ${EXCHANGE_A_CHAIN_ID} ORDER BY sequence`),
    (rows) => rows.map(({ raw }) => String(raw))
  )

/** What a host has signed, submitted by somebody who has kept the bytes. */
const submitted = (url: string, raw: string) =>
  Effect.promise(async () => {
    const { signatures, transfer: { _tag, nonce, ...parameters } } = readStored(raw) ?? assert.fail("no payment")
    const signature = signatures?.transfer ?? assert.fail("no signature")
    const answer = await fetch(`${url}/exchange`, {
      method: "POST",
      body: JSON.stringify({
        action: { type: "sendAsset", signatureChainId: "0xa4b1", ...parameters, nonce: Number(nonce) },
        nonce: Number(nonce),
        signature: {
          r: signature.slice(0, 66),
          s: `0x${signature.slice(66, 130)}`,
          v: Number(`0x${signature.slice(130)}`)
        }
      })
    })
    return answer.text()
  })

describe("a store with exchange A that is restored from a backup", () => {
  it.live("pays each deposit once: what was paid, what came later, and what never came; and the doctor agrees", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startExchangeANetwork
      const { book, environment, fresh, misbehave, startHost, store } = network
      const file = join(dirname(store.slice("sqlite:".length)), "backups", "one.db")
      const first = yield* startHost()
      const begin = (currency: string, index: number) => toExchangeA(network, first.url, [currency, fresh()], index)
      const [paid, late, lost] = [yield* begin(PERPS, 0), yield* begin(SPOT, 1), yield* begin(PERPS, 2)]
      const backedUp = yield* runOperation("backup", environment, file)
      assert.strictEqual(backedUp.code, 0, backedUp.error)

      yield* paid.pay
      assert.deepInclude(yield* endedAnywhere(first.url, paid.quoted), { status: "success" })
      // Both are signed, and not executed before the host is lost.
      yield* misbehave({ kind: "away", questions: ["exchange"] })
      yield* late.pay
      yield* eventually("it is signed", signedIn(store), (raws) => raws.length === 2)
      yield* lost.pay
      const raws = yield* eventually("all are signed", signedIn(store), (found) => found.length === 3)
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
      assert.lengthOf(yield* signedIn(store), 0)
      // The exchange takes what somebody has kept, and soon what uses the nonces up.
      assert.include(yield* submitted(yield* serve(book), raws[1] ?? ""), "\"ok\"")
      assert.strictEqual(heldOnExchange(book, SPOT, late.recipient), late.amount)
      yield* misbehave(undefined)
      yield* eventually("payments go on", said, (output) => output.includes("exchangea-local go on"))
      // What never came is taken no more.
      assert.include(yield* submitted(yield* serve(book), raws[2] ?? ""), "nonce")

      for (const { amount, currency, quoted, recipient } of [paid, late, lost]) {
        assert.deepInclude(yield* endedAnywhere(second.url, quoted), { status: "success" })
        assert.strictEqual(heldOnExchange(book, currency, recipient), amount)
      }
      yield* eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)
      for (const { amount, currency, recipient } of [paid, late, lost]) {
        assert.strictEqual(heldOnExchange(book, currency, recipient), amount)
      }
      // Oracles find the order of each.
      const mapped = new Set(
        (yield* rowsBeside(store, "SELECT order_id FROM nonce_mappings")).map(({ order_id }) => order_id)
      )
      for (const { quoted } of [paid, late, lost]) assert.isTrue(mapped.has(orderIdOf(quoted)))
      const doctor = yield* runDoctor(environment)
      assert.deepInclude(JSON.parse(doctor.out), { findings: [] })
      yield* second.kill("SIGTERM")
    })))
})
