import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { elapsedMillis } from "../../quorum/rpc/ElapsedTime.ts"
import { AskedFor } from "../../endpoints/AskedFor.ts"
import { budgeted } from "./BudgetedClient.ts"
import type { ExchangeBClient } from "./ExchangeBClient.ts"
import { RequestBudget } from "./RequestBudget.ts"

const holder = { account: "1", token: Redacted.make("token") }

const requests = (perMinute: number) => new RequestBudget({ _tag: "Requests", perMinute })
const weight = (perMinute: number) => new RequestBudget({ _tag: "Weight", perMinute })

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

/** How many of them succeed, one after the other. */
const answered = (asked: Effect.Effect<unknown, ReadFault>, times: number) =>
  Effect.map(Effect.replicateEffect(Effect.isSuccess(asked), times), (all) => all.filter((each) => each).length)

describe("a client within a budget", () => {
  it.effect("sends no read beyond it until a minute has passed, and always submits", () =>
    Effect.gen(function*() {
      const { client, sent } = counted()
      const within = budgeted(client, requests(2))
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

  it.effect("asks as often as the exchange allows a standard account, and no more of what weighs most", () =>
    Effect.gen(function*() {
      const { client } = counted()
      const within = budgeted(client, requests(60))
      assert.strictEqual(yield* answered(within.transaction("ab", 1), 99), 60)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* answered(within.transferFee(holder, "2", 1), 99), 48)
    }))

  it.effect("weighs each path for other accounts", () =>
    Effect.gen(function*() {
      const { client } = counted()
      const within = budgeted(client, weight(24_000))
      const asked = [
        [within.transaction("ab", 1), 80],
        [within.transfers(holder, undefined, 1), 80],
        [within.transactions(holder, 0, 1), 80],
        [within.transferFee(holder, "2", 1), 48],
        [within.nextNonce("1", 4, 1), 4_000]
      ] as const
      for (const [each, times] of asked) {
        assert.strictEqual(yield* answered(each, times + 9), times)
        yield* TestClock.adjust("1 minute")
      }
    }))

  it.effect("leaves three quarters to scans and payments, however much quotes ask, and quotes what others leave", () =>
    Effect.gen(function*() {
      const { client } = counted()
      const within = budgeted(client, requests(60))
      const quoting = Effect.provideService(within.account("1", 1), AskedFor, "strangers")
      assert.strictEqual(yield* answered(quoting, 99), 15)
      assert.strictEqual(yield* answered(within.account("1", 1), 99), 45)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* answered(within.account("1", 1), 55), 55)
      assert.strictEqual(yield* answered(quoting, 99), 5)
    }))

  it.effect("asks nothing for a minute once the endpoint answers no more, and still submits", () =>
    Effect.gen(function*() {
      const { client, sent } = counted()
      const budget = requests(60)
      const within = budgeted(client, budget)
      yield* within.account("1", 1)
      budget.rest(yield* elapsedMillis)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* Effect.flip(within.account("1", 1)), "over-quota")
      yield* within.submit("{}", 1)
      assert.deepStrictEqual(sent, ["account", "submit"])
      yield* TestClock.adjust("1 seconds")
      yield* within.account("1", 1)
    }))

  it.effect("reads the clock again after the time of four requests, and not before", () =>
    Effect.gen(function*() {
      const { client, sent } = counted()
      const within = budgeted(client, requests(100))
      yield* within.root(1)
      yield* TestClock.adjust("2399 millis")
      yield* within.root(1)
      assert.lengthOf(sent, 1)
      yield* TestClock.adjust("1 millis")
      yield* within.root(1)
      assert.lengthOf(sent, 2)
      assert.strictEqual(weight(24_000).clockMs, 3_000)
    }))

  it.effect("shows the exchange's clock, and has room again, although somebody sets this machine's clock back", () =>
    Effect.gen(function*() {
      const { client, sent } = counted()
      const within = budgeted(client, requests(3))
      yield* TestClock.adjust("2 hours")
      yield* within.root(1)
      yield* TestClock.setTime(3_600_000)
      yield* TestClock.adjust("80 seconds")
      yield* within.root(1)
      assert.lengthOf(sent, 2)
      yield* answered(within.account("1", 1), 2)
      yield* TestClock.setTime(0)
      yield* TestClock.adjust("1 minute")
      yield* within.account("1", 1)
    }))
})
