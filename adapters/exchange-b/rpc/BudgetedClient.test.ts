import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { WeightBudget } from "../../quorum/rpc/WeightBudget.ts"
import { budgeted } from "./BudgetedClient.ts"
import type { ExchangeBClient } from "./ExchangeBClient.ts"

const holder = { account: "1", token: Redacted.make("token") }

const counted = () => {
  const sent: Array<string> = []
  const send = (what: string) => () =>
    Effect.sync(() => {
      sent.push(what)
      return what
    })
  const client: ExchangeBClient = {
    root: send("root"),
    transaction: send("transaction"),
    logs: send("logs"),
    assets: send("assets"),
    account: send("account"),
    nextNonce: send("nextNonce"),
    transferFee: send("transferFee"),
    transfers: send("transfers"),
    transactions: send("transactions"),
    submit: send("submit")
  }
  return { client, sent }
}

describe("a client within a budget", () => {
  it.effect("sends no read beyond it until a minute has passed, and always submits", () =>
    Effect.gen(function*() {
      const { client, sent } = counted()
      const within = budgeted(client, new WeightBudget(3), 3)
      yield* within.transaction("ab", 1)
      yield* within.submit("{}", 1)
      yield* within.transfers(holder, undefined, 1)
      assert.strictEqual(yield* Effect.flip(within.account("1", 1)), "over-quota")
      yield* within.submit("{}", 1)
      assert.deepStrictEqual(sent, ["transaction", "submit", "transfers", "submit"])
      yield* TestClock.adjust("1 minute")
      yield* within.account("1", 1)
      assert.strictEqual(sent.at(-1), "account")
    }))

  it.effect("reads the clock again after the time of two requests, and not before", () =>
    Effect.gen(function*() {
      const { client, sent } = counted()
      const within = budgeted(client, new WeightBudget(100), 100)
      yield* within.root(1)
      yield* TestClock.adjust("1199 millis")
      yield* within.root(1)
      assert.lengthOf(sent, 1)
      yield* TestClock.adjust("1 millis")
      yield* within.root(1)
      assert.lengthOf(sent, 2)
    }))

  it.effect("shows the exchange's clock, and has room again, although somebody sets this machine's clock back", () =>
    Effect.gen(function*() {
      const { client, sent } = counted()
      const within = budgeted(client, new WeightBudget(3), 100)
      yield* TestClock.adjust("2 hours")
      yield* within.root(1)
      yield* TestClock.setTime(3_600_000)
      yield* TestClock.adjust("1200 millis")
      yield* within.root(1)
      assert.lengthOf(sent, 2)
      yield* within.account("1", 1)
      yield* TestClock.setTime(0)
      yield* TestClock.adjust("1 minute")
      yield* within.account("1", 1)
    }))
})
