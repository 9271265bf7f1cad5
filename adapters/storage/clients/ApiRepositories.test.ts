/** The contract of the API's tables on both engines: pauses, stored answers, noted deposits, history. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { named } from "../testing/Named.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { IdempotentAnswers } from "../../../ports/store/clients/IdempotentAnswers.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { pauseId } from "../../../src/domain/pause/Pause.ts"
import type { PauseScope } from "../../../src/domain/pause/Pause.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { layerMigrations } from "../engine/Migrations.ts"
import { Notices } from "../engine/notices/Notices.ts"
import { migrations } from "../migrations/index.ts"
import * as SqlPauses from "../operations/Pauses.ts"
import { describeEngines } from "../testing/engines.ts"
import { describeStores } from "../testing/stores.ts"
import { transferOf } from "../testing/Transfers.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const user = Address.make("0x00000000000000000000000000000000000000a1")
const native = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const alpha = ChainId.make(616101)
const beta = ChainId.make(616102)

const deposit = (n: number, order: number): Deposit => ({
  onchainId: Hex32.make(id(n)),
  chainId: alpha,
  transactionId: TransactionId.make(id(100 + n)),
  index: 0,
  block: { height: BigInt(n), hash: id(200 + n), time: 1_700_000_000 + n },
  depositId: Hex32.make(id(order)),
  depositor: user,
  sender: user,
  currency: native,
  amount: 2n ** 200n
})

/** Quoted at 10, pending at 11, refunded at 12. */
const addTransfer = Effect.fnUntraced(function*(n: number, order: number) {
  const transfers = yield* Transfers
  const transfer = { ...transferOf(n, { quotedAt: 10 }), orderId: OrderId.make(id(order)) }
  yield* transfers.add(transfer)
  yield* transfers.move(transfer.id, { to: "pending", at: 11 })
  yield* transfers.move(transfer.id, { to: "refund", at: 12, failReason: "SLIPPAGE" })
})

describeStores(({ name, test }) => {
  test(
    "pauses: the first of a scope stays, and is removed once",
    Effect.gen(function*() {
      const pauses = yield* Pauses
      const scopes: ReadonlyArray<PauseScope> = [
        { _tag: "Route", origin: { chainId: alpha, currency: native }, destination: { chainId: beta } },
        { _tag: "Chain", chainId: alpha }
      ]
      for (const [index, scope] of scopes.entries()) {
        const pause = { id: pauseId(scope), scope, reason: "why", createdAt: 10 + index }
        assert.deepStrictEqual(yield* pauses.add(pause), pause)
        assert.deepStrictEqual(yield* pauses.add({ ...pause, reason: "again", createdAt: 99 }), pause)
      }
      assert.deepStrictEqual((yield* pauses.all).map(({ scope }) => scope), scopes)
      const first = pauseId(scopes[0] ?? assert.fail("scope"))
      assert.deepStrictEqual([yield* pauses.remove(first), yield* pauses.remove(first)], [true, false])
      assert.strictEqual((yield* pauses.all).length, 1)
    })
  )

  test(
    "stored answers: claimed once, answered, refused for another body, free again after a time",
    Effect.gen(function*() {
      const answers = yield* IdempotentAnswers
      const slot = { scope: "s", key: "k" }
      const claims = yield* Effect.all(Array.from({ length: 8 }, () => answers.claim(slot, "a", 1000)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(claims.map(({ _tag }) => _tag).toSorted(), [
        "Claimed",
        ...Array<string>(7).fill("Running")
      ])
      assert.strictEqual((yield* answers.claim(slot, "b", 1000))._tag, "Reused")
      assert.strictEqual((yield* answers.claim({ ...slot, scope: "t" }, "b", 1000))._tag, "Claimed", "another scope")
      yield* answers.store(slot, { status: 200, body: "{}" })
      yield* answers.release(slot)
      assert.deepStrictEqual(yield* answers.claim(slot, "a", 2000), {
        _tag: "Answered",
        answer: { status: 200, body: "{}" }
      })
      assert.strictEqual((yield* answers.claim(slot, "b", 2000))._tag, "Reused")

      const day = 24 * 3600 * 1000
      assert.strictEqual((yield* answers.claim(slot, "b", 1000 + day - 1))._tag, "Reused")
      assert.strictEqual((yield* answers.claim(slot, "b", 1000 + day))._tag, "Claimed", "a day later")
      const again = { scope: "s", key: "released" }
      yield* answers.claim(again, "a", 5000)
      yield* answers.release(again)
      assert.strictEqual((yield* answers.claim(again, "b", 5001))._tag, "Claimed", "released")
      assert.strictEqual((yield* answers.claim(again, "b", 5001 + 59_999))._tag, "Running")
      assert.strictEqual((yield* answers.claim(again, "c", 5001 + 60_000))._tag, "Claimed", "its process died")
      yield* answers.forgetBefore(10 * day)
      assert.strictEqual((yield* answers.claim(slot, "z", 1000 + day + 1))._tag, "Claimed", "forgotten")
    })
  )

  test(
    "noted deposits equal those of a scan: new once, open, and no cursor moves",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const [one, two] = [deposit(1, 500), deposit(2, 500)]
      assert.deepStrictEqual((yield* deposits.note(named([one]), 1000)).map((each) => each.deposit), [one])
      assert.deepStrictEqual(yield* deposits.note(named([one]), 2000), [])
      assert.isUndefined(yield* deposits.cursor(alpha))
      const cursor = { height: 5n, hash: id(9) }
      assert.deepStrictEqual(
        (yield* deposits.record(alpha, cursor, named([one, two]), 3000)).map((each) => each.deposit),
        [
          two
        ]
      )
      yield* deposits.note(named([deposit(3, 500)]), 4000)
      assert.deepStrictEqual(yield* deposits.cursor(alpha), cursor)
      assert.deepStrictEqual((yield* deposits.open(16)).map((each) => each.onchainId), [
        one.onchainId,
        two.onchainId,
        id(3)
      ])
    })
  )

  test(
    "deposits for unknown orders are recorded a thousand a statement, and start no work",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const many = Array.from({ length: 2_500 }, (_, n) => deposit(n + 1, 500 + n))
      let statements = 0
      const counting = Tracer.make({
        span: (options) => {
          if (options.kind === "client") statements += 1
          return new Tracer.NativeSpan(options)
        }
      })
      yield* deposits.note(named([deposit(1, 500)]), 1000)
      assert.strictEqual(yield* deposits.noteForeign(many, 2000).pipe(Effect.withTracer(counting)), 2_499)
      if (name !== "memory") {
        // Three for rows, and those of the transaction.
        assert.isAtLeast(statements, 3)
        assert.isAtMost(statements, 6)
      }
      assert.strictEqual(yield* deposits.noteForeign(many, 3000), 0)
      assert.deepStrictEqual((yield* deposits.open(16)).map((each) => each.onchainId), [id(1)])
    })
  )

  test(
    "history: events after a sequence, deposits and payments of an order, transfers of a transaction",
    Effect.gen(function*() {
      const history = yield* TransferHistory
      const deposits = yield* Deposits
      const payments = yield* Payments
      const versions: Array<string | undefined> = []
      const noteVersion = Effect.map(history.version(RequestId.make(id(1))), (version) => versions.push(version))
      yield* noteVersion
      yield* addTransfer(1, 500)
      yield* noteVersion
      yield* addTransfer(2, 501)
      assert.strictEqual(yield* history.version(RequestId.make(id(1))), versions.at(-1), "another request's change")
      yield* deposits.note(named([deposit(1, 500), deposit(2, 500), deposit(3, 501)]), 1000)
      yield* noteVersion
      yield* deposits.close(Hex32.make(id(2)), 1, "gone", 9)
      yield* noteVersion
      const order = OrderId.make(id(500))
      const block = { height: 12n, hash: id(12), time: 1 }
      const payment = { orderId: order, recipient: user, currency: native, amount: 7n }
      const found = (n: number, sequence: number) => ({
        deposit: Hex32.make(id(1)),
        chainId: beta,
        payment,
        sent: {
          account: user,
          transactionId: TransactionId.make(id(n)),
          raw: "0x",
          sequence: BigInt(sequence),
          block,
          succeeded: true,
          gasPaid: 1n,
          movesNothing: false,
          payment
        }
      })
      const adopt = (leg: PaymentPurpose, n: number) => payments.adopt({ ...found(300 + n, n), leg }, n)
      yield* adopt("fill", 3)
      yield* noteVersion
      yield* payments.setAside((yield* payments.find(order, "fill")) ?? assert.fail())
      yield* adopt("fill", 1)
      yield* noteVersion
      yield* adopt(`refund:${id(3)}`, 2)
      yield* adopt(`excess:${id(1)}`, 4)
      yield* noteVersion
      // The fill was replaced, and the variant that was signed first was mined.
      yield* payments.adoptVariant(found(401, 1), 9)
      const transactionId = TransactionId.make(id(301))
      yield* payments.recordOutcome(order, "fill", { state: "included", transactionId, block, gasPaid: 21_000n })
      yield* noteVersion
      yield* payments.recordOutcome(order, "fill", { state: "included", transactionId, block, gasPaid: 21_001n })
      yield* noteVersion
      yield* payments.recordOutcome(order, "fill", { state: "included", transactionId, block, gasPaid: 21_000n })
      assert.isUndefined(versions[0])
      assert.strictEqual(new Set(versions).size, versions.length, "a version for each state")

      const request = RequestId.make(id(1))
      const asked = [...Array.from({ length: 1_500 }, (_, n) => RequestId.make(id(10_000 + n))), request]
      assert.deepStrictEqual([...yield* history.lastChanges(asked)], [[request, 2]])
      assert.strictEqual((yield* history.lastChanges([])).size, 0)
      assert.deepStrictEqual((yield* history.eventsAfter(request, -1)).map(({ sequence }) => sequence), [0, 1, 2])
      assert.deepStrictEqual(yield* history.eventsAfter(request, 1), [{
        sequence: 2,
        status: "refund",
        failReason: "SLIPPAGE",
        at: 12
      }])
      assert.deepStrictEqual(yield* history.deposits(order), [{
        deposit: deposit(1, 500),
        state: "open",
        isHeld: false
      }])
      const paid = yield* history.payments(order)
      assert.deepStrictEqual(yield* history.allPayments(order), paid)
      assert.deepStrictEqual(paid.map(({ gasPaid, leg, state }) => [leg, state, gasPaid]), [
        ["fill", "included", 21_000n],
        [`refund:${id(3)}`, "sent", null],
        [`excess:${id(1)}`, "sent", null]
      ])
      assert.strictEqual(paid[0]?.block?.height, 12n)

      const of = (...numbers: ReadonlyArray<number>) =>
        history.ofTransactions(numbers.map((n) => TransactionId.make(id(n))))
      assert.deepStrictEqual<ReadonlyArray<string>>(yield* of(101), [id(1)], "a deposit")
      assert.deepStrictEqual<ReadonlyArray<string>>(
        yield* of(301, 103),
        [id(1), id(2)],
        "a payment and another's deposit"
      )
      assert.deepStrictEqual<ReadonlyArray<string>>(yield* of(401), [id(1)], "a replacement that was not mined")
      assert.deepStrictEqual(yield* of(102, 303, 999), [], "gone, set aside, unknown")
      const signedAs = TransactionId.make(id(301))
      yield* payments.recordOutcome(order, "fill", {
        state: "included",
        transactionId: TransactionId.make(id(777)),
        signedAs,
        block,
        gasPaid: 21_000n
      })
      assert.deepStrictEqual<ReadonlyArray<string>>(yield* of(777), [id(1)], "as its chain names it")
      assert.deepStrictEqual(yield* of(), [])
    })
  )
})

describeEngines((_, engine) => {
  const fresh = SqlPauses.layer.pipe(Layer.provideMerge(layerMigrations(migrations)), Layer.provideMerge(engine))

  it.live("pauses: another process's are known by its notice, and one's own at once", () =>
    Effect.gen(function*() {
      const own = yield* Pauses
      const other = Context.get(yield* Layer.build(Layer.fresh(SqlPauses.layer)), Pauses)
      const scope = { _tag: "Chain", chainId: alpha } as const
      const pause = { id: pauseId(scope), scope, reason: "why", createdAt: 10 }
      const known = Effect.map(own.recent, (pauses) => pauses.length)
      const becomes = (count: number) => Effect.repeat(known, { until: (now) => now === count })
      assert.strictEqual(yield* known, 0)
      // The clock stands still: nothing becomes too old.
      yield* other.add(pause)
      yield* becomes(1)
      yield* other.remove(pause.id)
      yield* becomes(0)
      yield* own.add(pause)
      assert.strictEqual(yield* known, 1)
      yield* own.remove(pause.id)
      assert.strictEqual(yield* known, 0)
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(fresh, TestClock.layer()))), 30_000)

  it.live("pauses: without notices, what is known is ten seconds old at most", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const deaf = Layer.fresh(SqlPauses.layer).pipe(
        Layer.provide(Layer.succeed(Notices, { subscribe: Effect.succeed(Effect.never) }))
      )
      const pauses = Context.get(yield* Layer.build(deaf), Pauses)
      const known = Effect.map(pauses.recent, (all) => all.length)
      assert.strictEqual(yield* known, 0)
      yield* sql`INSERT INTO pauses ${
        sql.insert({
          id: "chain:1",
          scope: JSON.stringify({ _tag: "Chain", chainId: alpha }),
          reason: "why",
          created_at: 1
        })
      }`
      assert.strictEqual(yield* known, 0)
      yield* TestClock.setTime(10_000)
      assert.strictEqual(yield* known, 1)
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(fresh, TestClock.layer()))))
})
