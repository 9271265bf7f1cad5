/**
 * A chain on which no direct payment is awaited costs neither it nor the store anything but the slow poll. A new request
 * is looked for at once when its notice arrives, and after the slow poll when it is lost.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeScriptedNotices } from "../../../adapters/storage/testing/ScriptedNotices.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import type { SeenDirectPayment } from "../../../ports/store/orders/DirectPayments.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { TransactionId } from "../../domain/chain/TransactionId.ts"
import { Hex32 } from "../../domain/encoding/Hex.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { alpha, beta } from "../../domain/quote/testing/Chains.ts"
import { polledFollowers } from "../following/testing/PolledFollowers.ts"
import * as WatchingDirectPayments from "./WatchingDirectPayments.ts"

const word = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const start: Cursor = { height: 7n, hash: word(7) }
const seenPayment: SeenDirectPayment = {
  orderId: OrderId.make(Hex32.make(word(1))),
  transactionId: TransactionId.make(word(2)),
  block: { height: 8n, hash: word(8), time: 1 }
}

/** Two chains, of which alpha may be awaited on; counts what is asked. */
const watching = Effect.gen(function*() {
  const notices = makeScriptedNotices()
  const counts = { store: 0, scans: 0, readAgain: 0 }
  const stored: { cursor: Cursor | undefined; seen: ReadonlyArray<SeenDirectPayment> } = { cursor: undefined, seen: [] }
  const ofAlpha = <A>(id: number, value: () => A, otherwise: A) =>
    Effect.sync(() => {
      counts.store += 1
      return id === alpha.id ? value() : otherwise
    })
  yield* Layer.build(WatchingDirectPayments.layer.pipe(Layer.provide([
    notices.layer,
    polledFollowers,
    Layer.succeed(Chains, { all: [alpha, beta] }),
    Layer.mock(DirectPayments, {
      cursor: (id) => ofAlpha(id, () => stored.cursor, undefined),
      unsettled: (id) => ofAlpha(id, () => stored.seen, [])
    }),
    Layer.mock(DirectPaymentWatcher, {
      scan: (_, cursor) =>
        Effect.sync(() => {
          counts.scans += 1
          return { cursor, payments: [] }
        })
    }),
    Layer.mock(Pauses, { all: Effect.succeed([]) }),
    Layer.mock(Prices, {}),
    Layer.mock(Transfers, {
      findByOrder: () =>
        Effect.sync(() => {
          counts.readAgain += 1
          return undefined
        })
    })
  ])))
  yield* TestClock.adjust("30 seconds")
  return { counts, notices, stored }
})

describe("direct payments", () => {
  it.effect("cost an idle chain two reads of the store each slow poll, and no request", () =>
    Effect.gen(function*() {
      const { counts } = yield* watching
      counts.store = 0
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(counts.scans, 0)
      // Two chains, six slow polls a minute.
      assert.isAtMost(counts.store, 2 * 2 * 60)
      assert.isAbove(counts.store, 0)
    }))

  it.effect("are scanned for from the notice of a request until none is awaited", () =>
    Effect.gen(function*() {
      const { counts, notices, stored } = yield* watching
      stored.cursor = start
      assert.isTrue(yield* notices.tell("direct-payments"))
      yield* TestClock.adjust(1)
      assert.strictEqual(counts.scans, 1)
      yield* TestClock.adjust("1 minute")
      assert.isAbove(counts.scans, 10)
      stored.cursor = undefined
      yield* TestClock.adjust("10 seconds")
      const before = counts.scans
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(counts.scans, before)
    }))

  it.effect("are scanned for after the slow poll when the notice is lost", () =>
    Effect.gen(function*() {
      const { counts, stored } = yield* watching
      stored.cursor = start
      yield* TestClock.adjust("10 seconds")
      assert.isAbove(counts.scans, 0)
    }))

  it.effect("that were found by index are tracked without a scan", () =>
    Effect.gen(function*() {
      const { counts, notices, stored } = yield* watching
      stored.seen = [seenPayment]
      assert.isTrue(yield* notices.tell("direct-payments"))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(counts.scans, 0)
      assert.isAbove(counts.readAgain, 10)
    }))
})
