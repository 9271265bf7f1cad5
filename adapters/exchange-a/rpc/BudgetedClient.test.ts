import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { AskedFor } from "../../endpoints/AskedFor.ts"
import { budgeted } from "./BudgetedClient.ts"
import type { ExchangeAClient } from "./ExchangeAClient.ts"
import { RequestBudget } from "./RequestBudget.ts"

const ledger = { type: "userNonFundingLedgerUpdates", user: "0x", startTime: 0, endTime: 1 } as const
const signed = { action: {}, nonce: 1, signature: { r: "0x", s: "0x", v: 27 } }

describe("a client within a budget", () => {
  it.effect("sends no read beyond it until a minute has passed, counts long ledgers, and always submits", () =>
    Effect.gen(function*() {
      const sent: Array<string> = []
      const send = (what: string, said: unknown) =>
        Effect.sync(() => {
          sent.push(what)
          return said
        })
      const client: ExchangeAClient = {
        info: ({ type }) => send(type, Array.from({ length: 200 })),
        transaction: () => send("transaction", {}),
        account: () => send("account", {}),
        block: () => send("block", {}),
        submit: () => send("submit", {})
      }
      const within = budgeted(client, new RequestBudget(70))
      // 20, and 10 for 200 entries.
      yield* within.info(ledger, 1)
      yield* within.transaction("0x", 1)
      assert.strictEqual(yield* Effect.flip(within.info({ type: "exchangeStatus" }, 1)), "over-quota")
      yield* within.submit(signed, 1)
      assert.deepStrictEqual(sent, [ledger.type, "transaction", "submit"])
      yield* TestClock.adjust("1 minute")
      yield* within.info({ type: "exchangeStatus" }, 1)
      assert.lengthOf(sent, 4)
      // Somebody sets this machine's clock back: a minute is a minute.
      yield* within.transaction("0x", 1)
      yield* TestClock.setTime(0)
      yield* TestClock.adjust("1 minute")
      yield* within.transaction("0x", 1)
    }))

  it.effect("leaves three quarters to scans and payments, however much quotes ask", () =>
    Effect.gen(function*() {
      const said = () => Effect.succeed({})
      const within = budgeted(
        { info: said, transaction: said, account: said, block: said, submit: said },
        new RequestBudget(1_200)
      )
      const asked = within.info({ type: "preTransferCheck", user: "0x", source: "0x" }, 1)
      const answered = (read: typeof asked) =>
        Effect.map(Effect.replicateEffect(Effect.isSuccess(read), 99), (all) => all.filter((each) => each).length)
      assert.strictEqual(yield* answered(Effect.provideService(asked, AskedFor, "strangers")), 15)
      assert.strictEqual(yield* answered(asked), 45)
    }))
})
