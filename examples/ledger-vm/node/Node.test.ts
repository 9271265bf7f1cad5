/** The two shells of the ledger: in memory on virtual time, and behind HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { makeHttpJson } from "causeway-kit/adapters/quorum"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { finalOf, headOf } from "../ledger/Ledger.ts"
import { depository, holdingsOf, keyOf, listed, sendBy, stranger, terms, user } from "../testing/Fixture.ts"
import { startHttpLedger } from "./HttpLedger.ts"
import { startMemoryLedger } from "./MemoryLedger.ts"

const holdings = holdingsOf(user)

describe("the ledger in memory", () => {
  it.effect("makes its blocks by the given clock: an hour of them passes at once", () =>
    Effect.scoped(Effect.gen(function*() {
      const ledger = yield* startMemoryLedger({ terms, holdings, blockTimeMs: 1_000 })
      assert.strictEqual(headOf(ledger.state()).height, 0)
      yield* TestClock.adjust("1 hour")
      const { height, time } = headOf(ledger.state())
      assert.deepStrictEqual({ height, time }, { height: 3_600, time: 3_600 })
      assert.strictEqual(finalOf(ledger.state()).height, 3_600 - terms.finalAfter)
    })))

  it.effect("has another history after a reorg, of the same length, with the same final blocks", () =>
    Effect.scoped(Effect.gen(function*() {
      const ledger = yield* startMemoryLedger({ terms, holdings })
      yield* ledger.mine(10)
      const before = ledger.state()
      yield* ledger.reorganise(2, "kept")
      const now = ledger.state()
      assert.strictEqual(headOf(now).height, headOf(before).height)
      assert.notStrictEqual(headOf(now).hash, headOf(before).hash)
      assert.strictEqual(finalOf(now).hash, finalOf(before).hash)
    })))
})

describe("a node of the ledger", () => {
  it.live("answers over HTTP exactly what the ledger in memory answers, and accepts transfers", () =>
    Effect.scoped(Effect.gen(function*() {
      const ledger = yield* startHttpLedger({ terms, holdings })
      const http = yield* makeHttpJson(Redacted.make(ledger.url))
      const id = yield* sendBy(http, keyOf(2), {
        ledger: ledger.genesisHash,
        recipient: depository,
        currency: listed[1].address,
        amount: 5n,
        fee: terms.fee,
        memo: "a gift"
      })
      yield* ledger.mine(2)
      const paths = [
        "/v1/ledger",
        "/v1/blocks/1",
        "/v1/blocks/77",
        `/v1/transfers/${id}`,
        `/v1/transfers/${"00".repeat(32)}`,
        `/v1/transfers?after=0&account=${depository}`,
        "/v1/transfers?after=nothing",
        `/v1/accounts/${user}`,
        `/v1/accounts/${stranger}`,
        "/v1/accounts/nobody",
        "/v2/ledger"
      ]
      const seen: Array<number> = []
      for (const path of paths) {
        const [one, other] = [
          yield* http.call({ method: "GET", path }, 5_000),
          yield* ledger.connection.call({ method: "GET", path }, 5_000)
        ]
        assert.deepStrictEqual({ path, ...one }, { path, ...other })
        seen.push(one.status)
      }
      assert.deepStrictEqual(seen, [200, 200, 404, 200, 404, 200, 400, 200, 200, 400, 404])
      const refused = yield* http.call({ method: "POST", path: "/v1/transfers", body: { transfer: {} } }, 5_000)
      assert.strictEqual(refused.status, 400)
    })))
})
