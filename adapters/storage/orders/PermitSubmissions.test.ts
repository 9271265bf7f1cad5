/**
 * Permits to be submitted, on both engines: one of an order is queued or done, however often and by whichever caller.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { PermitSubmissions, REVERTED_PERMITS_WINDOW_MS } from "../../../ports/store/orders/PermitSubmissions.ts"
import type { NewPermitSubmission } from "../../../ports/store/orders/PermitSubmissions.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { permitId } from "../../../src/domain/permit/PermitId.ts"
import { describeStores } from "../testing/stores.ts"

const orderOf = (n: number) => OrderId.make(`0x${n.toString(16).padStart(64, "0")}`)

const ownerOf = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)

/** More than everything in one test. */
const CAP = 1_000_000n

/** A submission as it is read back. */
const keptOf = ({ owner: _, reservedMicros: __, ...kept }: NewPermitSubmission) => kept

const submission = (order: number, number: number, signature: `0x${string}` = "0x12"): NewPermitSubmission => ({
  id: permitId(orderOf(order), number),
  orderId: orderOf(order),
  number,
  chainId: ChainId.make(616101),
  signature: Hex.make(signature),
  owner: ownerOf(order),
  reservedMicros: 10n,
  queuedAt: order * 10 + number
})

const atOnce = <A, E, R>(count: number, each: (n: number) => Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: count }, (_, n) => n), each, { concurrency: "unbounded" })

describeStores(({ name, test, testOnTables }) => {
  test(
    "of many concurrent attempts to queue one order's permit one succeeds, with any number",
    Effect.gen(function*() {
      const permits = yield* PermitSubmissions
      for (let order = 1; order <= 6; order++) {
        const answers = yield* atOnce(
          24,
          (n) => permits.queue(submission(order, order % 2 === 0 ? 0 : n % 3, `0x${(n + 16).toString(16)}`), CAP)
        )
        assert.strictEqual(answers.filter((answer) => answer === "queued").length, 1)
        const newest = yield* permits.newest(orderOf(order))
        assert.strictEqual(newest?.state, "queued")
        assert.deepStrictEqual(yield* permits.find(newest?.id ?? Hex32.make(orderOf(99))), newest)
      }
      assert.lengthOf(yield* permits.open, 6)
      assert.isUndefined(yield* permits.newest(orderOf(99)))
      assert.isUndefined(yield* permits.find(Hex32.make(orderOf(99))))
    })
  )

  test(
    "a done submission stays for ever; a failed one makes room for the next number, not for its own",
    Effect.gen(function*() {
      const permits = yield* PermitSubmissions
      const [first, second] = [submission(1, 0), submission(1, 1)]
      assert.strictEqual(yield* permits.queue(first, CAP), "queued")
      yield* permits.close(first.id, 0, "void", 5)
      assert.strictEqual(yield* permits.queue(first, CAP), "again")
      assert.strictEqual(yield* permits.queue(second, CAP), "queued")
      yield* permits.close(first.id, 0, "done", 6)
      assert.strictEqual((yield* permits.find(first.id))?.state, "void")
      yield* permits.close(second.id, 1, "void", 7)
      assert.strictEqual((yield* permits.find(second.id))?.state, "queued", "of another round")
      yield* permits.close(second.id, 0, "done", 8)
      assert.strictEqual(yield* permits.queue(submission(1, 2), CAP), "again")
      assert.deepStrictEqual(yield* permits.newest(orderOf(1)), { ...keptOf(second), state: "done", round: 0 })
      assert.deepStrictEqual(yield* permits.open, [])
    })
  )

  test(
    "an undone submission is queued again in its next round, and its previous round can no longer change it",
    Effect.gen(function*() {
      const permits = yield* PermitSubmissions
      const only = submission(1, 0)
      yield* permits.queue(only, CAP)
      assert.isFalse(yield* permits.reopen(only.id), "it is queued")
      yield* permits.close(only.id, 0, "done", 5)
      assert.isTrue(yield* permits.reopen(only.id))
      assert.deepStrictEqual(yield* permits.open, [{ ...keptOf(only), state: "queued", round: 1 }])
      yield* permits.fail(only.id, 0, 9)
      yield* permits.close(only.id, 0, "void", 6)
      assert.strictEqual((yield* permits.find(only.id))?.state, "queued")
      yield* permits.close(only.id, 1, "done", 7)
      yield* permits.fail(only.id, 0, 9)
      assert.strictEqual((yield* permits.find(only.id))?.state, "done")
      yield* permits.fail(only.id, 1, 9)
      assert.strictEqual((yield* permits.find(only.id))?.state, "void")
      assert.isFalse(yield* permits.reopen(only.id))
    })
  )

  test(
    "a submission is to be guarded from when it is done until it is final, fails or is undone (ADDRESS-17)",
    Effect.gen(function*() {
      const permits = yield* PermitSubmissions
      const [first, second] = [submission(700, 0), submission(701, 0)]
      const unfinal = Effect.map(permits.unfinal, (found) => found.map(({ id, round }) => [id, round]))
      yield* permits.queue(first, CAP)
      yield* permits.queue(second, CAP)
      yield* permits.recordFinal(first.id, 0, 4)
      assert.deepStrictEqual(yield* unfinal, [], "while it is queued")
      yield* permits.close(first.id, 0, "done", 5)
      yield* permits.close(second.id, 0, "done", 5)
      yield* permits.recordFinal(second.id, 1, 6)
      assert.sameDeepMembers(yield* unfinal, [[first.id, 0], [second.id, 0]], "of another round")
      yield* permits.recordFinal(second.id, 0, 6)
      assert.isTrue(yield* permits.reopen(first.id))
      assert.deepStrictEqual(yield* unfinal, [])
      yield* permits.close(first.id, 1, "done", 7)
      assert.deepStrictEqual(yield* unfinal, [[first.id, 1]])
      yield* permits.fail(first.id, 1, 8)
      assert.deepStrictEqual(yield* unfinal, [])
    })
  )

  test(
    "in any order of queueing, closing, failing and undoing, an order has at most one queued or done",
    Effect.gen(function*() {
      const permits = yield* PermitSubmissions
      const act = fc.record({
        what: fc.constantFrom("queue", "done", "void", "fail", "reopen"),
        number: fc.nat(3),
        round: fc.nat(1)
      })
      let order = 100
      for (const acts of fc.sample(fc.array(act, { maxLength: 12 }), { numRuns: inputs(20, 400) })) {
        order += 1
        for (const { number, round, what } of acts) {
          const each = submission(order, number)
          if (what === "queue") yield* permits.queue(each, CAP)
          else if (what === "fail") yield* permits.fail(each.id, round, 9)
          else if (what === "reopen") yield* permits.reopen(each.id)
          else yield* permits.close(each.id, round, what === "done" ? "done" : "void", 1)
        }
        const kept = (yield* atOnce(4, (number) => permits.find(permitId(orderOf(order), number)))).filter((each) =>
          each !== undefined && each.state !== "void"
        )
        assert.isAtMost(kept.length, 1, `${name}: ${JSON.stringify(acts)}`)
      }
    })
  )

  test(
    "an owner has one queued on a chain, under concurrency; another on another chain, or once it has ended",
    Effect.gen(function*() {
      const permits = yield* PermitSubmissions
      const owner = ownerOf(500)
      const of = (order: number, chain = 616101) => ({ ...submission(order, 0), owner, chainId: ChainId.make(chain) })
      const answers = yield* atOnce(8, (n) => permits.queue(of(500 + n), CAP))
      assert.deepStrictEqual(answers.toSorted(), [...Array.from({ length: 7 }, () => "busy" as const), "queued"])
      const [queued] = yield* permits.open
      assert.strictEqual(yield* permits.queue(of(510, 616102), CAP), "queued")
      yield* permits.close(queued?.id ?? of(500).id, 0, "done", 5)
      assert.strictEqual(yield* permits.queue(of(511), CAP), "queued")
      // A submission that a reorg has undone is queued again all the same.
      assert.isTrue(yield* permits.reopen(queued?.id ?? of(500).id))
      assert.strictEqual(yield* permits.queue(of(512), CAP), "busy")
    })
  )

  test(
    "the cost of reverts is capped for each chain: first the possible cost, then the actual one, for a day",
    Effect.gen(function*() {
      const permits = yield* PermitSubmissions
      const of = (order: number, chain = 616101, queuedAt = 1_000) => ({
        ...submission(order, 0),
        chainId: ChainId.make(chain),
        queuedAt
      })
      const cap = 40n
      const answers = yield* atOnce(8, (n) => permits.queue(of(600 + n), cap))
      assert.strictEqual(answers.filter((answer) => answer === "queued").length, 4)
      assert.strictEqual(answers.filter((answer) => answer === "capped").length, 4)
      assert.strictEqual(yield* permits.queue(of(620, 616102), cap), "queued")
      const [one, two, three, four] = (yield* permits.open).filter(({ chainId }) => chainId === 616101)
      if (one === undefined || two === undefined || three === undefined || four === undefined) {
        return assert.fail("four are queued")
      }
      assert.strictEqual(
        yield* permits.queue({ ...of(640), orderId: one.orderId, number: 7 }, cap),
        "again",
        "also above the cap"
      )
      // A submission that was executed or never sent costs nothing. A reverted one counts with its cost.
      yield* permits.close(one.id, 0, "done", 1_001)
      yield* permits.close(two.id, 0, "void", 1_001)
      yield* permits.spend(three.id, 19n)
      yield* permits.spend(three.id, 15n)
      yield* permits.close(three.id, 0, "void", 1_001)
      yield* permits.spend(three.id, 1n)
      assert.deepStrictEqual([yield* permits.reverted(two.orderId), yield* permits.reverted(three.orderId)], [0, 1])
      assert.strictEqual(yield* permits.queue(of(621), cap), "queued")
      assert.strictEqual(yield* permits.queue(of(622), cap), "capped")
      assert.strictEqual(yield* permits.queue({ ...of(622), reservedMicros: 5n }, cap), "queued")
      const nextDay = 1_001 + REVERTED_PERMITS_WINDOW_MS
      assert.strictEqual(yield* permits.queue(of(623, 616101, nextDay - 1), cap), "capped")
      assert.strictEqual(yield* permits.queue(of(623, 616101, nextDay), cap), "queued")
    })
  )

  test(
    "a submission that a reorg undid is queued again beside another of its owner, and holds none of the owner's back",
    Effect.gen(function*() {
      const permits = yield* PermitSubmissions
      const of = (order: number) => ({ ...submission(order, 0), owner: ownerOf(1) })
      assert.strictEqual(yield* permits.queue(of(801), CAP), "queued")
      assert.strictEqual(yield* permits.queue(of(802), CAP), "busy")
      yield* permits.close(of(801).id, 0, "done", 1)
      assert.strictEqual(yield* permits.queue(of(802), CAP), "queued")
      assert.isTrue(yield* permits.reopen(of(801).id))
      assert.deepStrictEqual((yield* permits.open).map(({ id, round }) => [id, round]), [[of(801).id, 1], [
        of(802).id,
        0
      ]])
      yield* permits.close(of(802).id, 0, "void", 2)
      assert.strictEqual(yield* permits.queue(of(803), CAP), "queued")
    })
  )

  testOnTables(
    "the gas of a submission is that of its own transaction, in whichever variant, once it is known",
    Effect.gen(function*() {
      const permits = yield* PermitSubmissions
      const sql = yield* SqlClient.SqlClient
      const { id, orderId } = submission(700, 0)
      yield* permits.queue(submission(700, 0), CAP)
      const [first, second, foreign] = ["a1", "a2", "a3"].map((byte) => TransactionId.make(`0x${byte.repeat(32)}`)) as [
        TransactionId,
        TransactionId,
        TransactionId
      ]
      const place = { chain_id: 616101, account: ownerOf(1), sequence: "5" }
      yield* sql`INSERT INTO payments ${
        sql.insert({
          ...place,
          order_id: id,
          leg: "permit",
          deposit: id,
          transaction_id: second,
          raw: "0x",
          currency: "0x",
          recipient: "0x",
          amount: "0",
          state: "sent",
          signed_at: 1
        })
      }`
      for (const [variant, transaction_id] of [first, second].entries()) {
        yield* sql`INSERT INTO payment_variants ${
          sql.insert({ ...place, transaction_id, variant, raw: "0x", signed_at: 1 })
        }`
      }
      assert.deepStrictEqual([yield* permits.gasPaid(orderId, first), yield* permits.gasPaid(orderId, foreign)], [
        "unknown",
        undefined
      ])
      yield* sql`UPDATE payments SET gas_paid = '77', transaction_id = ${first} WHERE order_id = ${id}`
      assert.deepStrictEqual([yield* permits.gasPaid(orderId, first), yield* permits.gasPaid(orderId, second)], [
        77n,
        77n
      ])
      assert.isUndefined(yield* permits.gasPaid(submission(701, 0).orderId, first))
    })
  )
})
