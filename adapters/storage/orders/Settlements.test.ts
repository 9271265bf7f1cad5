import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { named } from "../testing/Named.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { MOST_UNDER_WAY, MOST_UNFINAL, Settlements } from "../../../ports/store/orders/Settlements.ts"
import type { ClaimedSettlement, HubGateAt, Submission } from "../../../ports/store/orders/Settlements.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { describeStores } from "../testing/stores.ts"

const chainId = ChainId.make(616101)
const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const someone = Address.make(`0x${"a1".repeat(20)}`)
const native = CurrencyAddress.make(`0x${"0".repeat(40)}`)
const depositOf = (n: number): Deposit => ({
  onchainId: word(n),
  chainId,
  transactionId: TransactionId.make(word(0x100 + n)),
  index: 0,
  block: { height: 5n, hash: "0xb5", time: 1 },
  depositId: word(0x200 + n),
  depositor: someone,
  sender: someone,
  currency: native,
  amount: 7n
})
const orderOf = (n: number) => OrderId.make(word(0x200 + n))
const gate = Address.make(`0x${"6a".repeat(20)}`)
const on = { chainId, gate }
const submissionOf = (n: number, onChain: ChainId = chainId): Submission & HubGateAt => ({
  id: word(0x300 + n),
  chainId: onChain,
  gate,
  calls: [{ idempotencyKey: word(n), actions: [Hex.make("0x12")], signatures: [Hex.make("0x34")] }],
  createdAt: 10 + n
})
const close = Effect.fnUntraced(function*(n: number, state: "filled" | "refunded" | "unrefundable" = "filled") {
  const deposits = yield* Deposits
  yield* deposits.note(named([depositOf(n)]), 100 + n)
  // Seen long before it is closed.
  yield* deposits.close(word(n), 1, state, 500 + n)
})
const some = (n: number) => Array.from({ length: n }, (_, index) => index + 1)
const none = { settled: new Set<Hex32>(), failed: new Set<Hex32>(), mostFailures: 2, dueAt: 0, on, checkAt: 1_000 }
const only = (all: ReadonlyArray<ClaimedSettlement>): ClaimedSettlement => all[0] ?? assert.fail("nothing was claimed")

describeStores(({ test: live, testOnTables }) => {
  describe("settlements", () => {
    live(
      "are opened by closing a deposit that was filled or refunded, once, and by nothing else",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        yield* close(1)
        yield* close(1)
        yield* close(2, "refunded")
        yield* close(3, "unrefundable")
        assert.deepStrictEqual(yield* settlements.open, [{ state: "open", count: 2, oldest: 501 }])
        assert.deepStrictEqual(yield* settlements.ofOrder(orderOf(2)), [{
          deposit: word(2),
          state: "open",
          reason: null,
          transactionId: null
        }])
        assert.deepStrictEqual(yield* settlements.ofOrder(orderOf(3)), [])
      })
    )

    live(
      "are claimed by one worker for a time, and concluded by whoever holds the lease",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        yield* Effect.forEach(some(6), (n) => close(n), { discard: true })
        const claims = yield* Effect.all([settlements.claim(1_000, 2_000, 4), settlements.claim(1_000, 2_000, 4)], {
          concurrency: 2
        })
        const all = claims.flat().map(({ deposit }) => deposit)
        assert.strictEqual(new Set(all).size, all.length)
        const first = only(claims.flat())
        yield* settlements.claim(1_500, 2_500, 10)
        assert.deepStrictEqual(yield* settlements.claim(1_600, 2_600, 10), [])
        assert.strictEqual(yield* settlements.nextDue(1_999), undefined)
        assert.strictEqual(yield* settlements.nextDue(9_000), 2_000, "when the first claims expire")
        // The lease has expired, and another worker has it.
        const again = yield* settlements.claim(2_000, 3_000, 10)
        const same = again.find(({ deposit }) => deposit === first.deposit) ?? assert.fail()
        yield* settlements.conclude(first, { _tag: "Refused", reason: "late" }, 2_100)
        assert.strictEqual((yield* settlements.ofOrder(first.orderId))[0]?.state, "open")
        yield* settlements.conclude(same, { _tag: "Later", reason: "not-final", dueAt: 9_000 }, 2_100)
        assert.deepStrictEqual(yield* settlements.ofOrder(first.orderId), [{
          deposit: first.deposit,
          state: "open",
          reason: "not-final",
          transactionId: null
        }])
        const due = yield* settlements.claim(9_000, 9_500, 10)
        assert.strictEqual(due.find(({ deposit }) => deposit === first.deposit)?.attempts, 1)
      })
    )

    live(
      "that are refused come back when somebody says so; those that are excluded do not",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        yield* close(1)
        yield* close(2)
        for (const claimed of yield* settlements.claim(1, 2, 9)) {
          yield* settlements.conclude(
            claimed,
            claimed.deposit === word(1) ? { _tag: "Refused", reason: "late" } : { _tag: "Excluded" },
            2
          )
        }
        assert.deepStrictEqual((yield* settlements.open).map(({ count, state }) => [state, count]), [["refused", 1]])
        assert.strictEqual(yield* settlements.retry(orderOf(1), 50), 1)
        assert.strictEqual(yield* settlements.retry(orderOf(2), 50), 0)
        assert.deepStrictEqual(
          (yield* settlements.claim(50, 60, 9)).map(({ attempts, deposit }) => [deposit, attempts]),
          [[word(1), 0]]
        )
      })
    )

    live(
      "are submitted by who holds all of them, in as many slots as there are",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        const many = MOST_UNDER_WAY + 2
        yield* Effect.forEach(some(many), (n) => close(n), { discard: true })
        const claimed = yield* settlements.claim(1, 2, many)
        const made = yield* Effect.forEach(claimed, (each, index) => settlements.submit(submissionOf(index), [each]), {
          concurrency: "unbounded"
        })
        assert.isAtMost(made.filter(Boolean).length, MOST_UNDER_WAY)
        for (const [index, each] of claimed.entries()) {
          if (!made[index]) made[index] = yield* settlements.submit(submissionOf(index), [each])
        }
        assert.strictEqual(made.filter(Boolean).length, MOST_UNDER_WAY)
        assert.isFalse(yield* settlements.hasRoom(chainId))
        assert.deepStrictEqual(
          new Set((yield* settlements.underWay).map(({ id }) => id)),
          new Set(made.flatMap((yes, index) => yes ? [submissionOf(index).id] : []))
        )
        assert.deepStrictEqual(
          (yield* settlements.underWay)[0]?.calls,
          submissionOf(((yield* settlements.underWay)[0]?.createdAt ?? 0) - 10).calls
        )
        const kept = made.findIndex((yes) => yes)
        yield* settlements.end(submissionOf(kept).id, none, 5)
        assert.isTrue(yield* settlements.hasRoom(chainId))
        // Another worker's lease: nothing of it is stored.
        const late = claimed[made.indexOf(false)] ?? assert.fail()
        assert.isFalse(yield* settlements.submit(submissionOf(77), [{ ...late, leasedUntil: 1 }]))
        assert.isTrue(yield* settlements.submit(submissionOf(78), [late]))
      })
    )

    live(
      "have slots of their own on every chain, which are given back in a block, as long as not too many are not final",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        const other = ChainId.make(616102)
        yield* Effect.forEach(some(MOST_UNFINAL + 2), (n) => close(n), { discard: true })
        const claimed = yield* settlements.claim(1, 2, MOST_UNFINAL + 2)
        const submit = (n: number, onChain?: ChainId) =>
          settlements.submit(submissionOf(n, onChain), claimed.slice(n - 1, n))
        for (const n of some(MOST_UNDER_WAY)) assert.isTrue(yield* submit(n))
        assert.isFalse(yield* submit(MOST_UNDER_WAY + 1))
        // Submissions in flight on another chain take no slot here.
        assert.isTrue(yield* settlements.hasRoom(other))
        assert.isTrue(yield* submit(MOST_UNFINAL + 2, other))
        assert.isFalse(yield* settlements.hasRoom(chainId))
        for (const n of some(MOST_UNFINAL).slice(MOST_UNDER_WAY)) {
          yield* settlements.placed(submissionOf(n - MOST_UNDER_WAY).id, 5)
          assert.isTrue(yield* submit(n), `${n}`)
        }
        // All of them are tracked until they are final. There are never more of them, however many are in a block.
        assert.lengthOf(yield* settlements.underWay, MOST_UNFINAL + 1)
        for (const n of some(MOST_UNFINAL)) yield* settlements.placed(submissionOf(n).id, 5)
        assert.isFalse(yield* settlements.hasRoom(chainId))
        assert.isFalse(yield* submit(MOST_UNFINAL + 1))
        yield* settlements.end(submissionOf(3).id, none, 6)
        assert.isTrue(yield* submit(MOST_UNFINAL + 1))
      })
    )

    testOnTables(
      "know the gate of what a former version kept by what is signed",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        const sql = yield* SqlClient.SqlClient
        yield* close(1)
        assert.isTrue(yield* settlements.submit(submissionOf(1), yield* settlements.claim(1, 2, 9)))
        assert.deepStrictEqual((yield* settlements.underWay).map((each) => each.gate), [gate])
        yield* sql`UPDATE submissions SET gate = NULL`
        assert.deepStrictEqual((yield* settlements.underWay).map((each) => each.gate), [undefined])
        yield* sql`INSERT INTO payments ${
          sql.insert({
            order_id: submissionOf(1).id,
            leg: "settlement",
            deposit: submissionOf(1).id,
            chain_id: chainId,
            account: someone,
            sequence: "0",
            recipient: gate,
            currency: "0x",
            amount: "0",
            transaction_id: word(9),
            raw: "0x",
            state: "sent",
            signed_at: 1
          })
        }`
        assert.deepStrictEqual((yield* settlements.underWay).map((each) => each.gate), [gate])
      })
    )

    live(
      "that are settled are looked at again, and opened again where the hub has them no more",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        yield* Effect.forEach(some(4), (n) => close(n), { discard: true })
        const [first, second, third, fourth] = yield* settlements.claim(1, 2, 4)
        const members = [first, second].filter((each) => each !== undefined)
        assert.isTrue(yield* settlements.submit(submissionOf(1), members))
        yield* settlements.end(submissionOf(1).id, { ...none, settled: new Set([word(1), word(2)]) }, 50)
        yield* settlements.conclude(third ?? assert.fail(), { _tag: "Settled", on, checkAt: 900 }, 60)
        yield* settlements.conclude(fourth ?? assert.fail(), { _tag: "Settled", on, checkAt: 2_000 }, 60)
        assert.deepStrictEqual(yield* settlements.toCheck(899, 9), [])
        const due = yield* settlements.toCheck(1_000, 9)
        assert.deepStrictEqual(due.map(({ deposit }) => deposit), [word(3), word(1), word(2)])
        assert.deepStrictEqual(due[0], { deposit: word(3), orderId: orderOf(3), ...on, settledAt: 60, checkAt: 900 })
        assert.lengthOf(yield* settlements.toCheck(1_000, 2), 2)
        const states = Effect.forEach(
          some(3),
          (n) => Effect.map(settlements.ofOrder(orderOf(n)), ([row]) => [row?.state, row?.reason])
        )
        // Still on the hub: rechecked once more, then never.
        yield* settlements.checked(due[0] ?? assert.fail(), 5_000)
        yield* settlements.checked(due[0] ?? assert.fail(), undefined)
        const [again] = (yield* settlements.toCheck(5_000, 9)).filter(({ deposit }) => deposit === word(3))
        assert.strictEqual(again?.checkAt, 5_000)
        // One of two that the same submission settled is gone: the submission is tracked again, with both.
        yield* settlements.undone({ deposit: word(1) }, 1_001)
        assert.deepStrictEqual((yield* settlements.underWay).map(({ id }) => id), [submissionOf(1).id])
        assert.deepStrictEqual((yield* settlements.members(submissionOf(1).id)).map(({ deposit }) => deposit), [
          word(1),
          word(2)
        ])
        assert.isTrue(yield* settlements.hasRoom(chainId))
        yield* settlements.undone({ deposit: word(1) }, 1_002)
        yield* settlements.end(
          submissionOf(1).id,
          { ...none, settled: new Set([word(1), word(2)]), checkAt: 9_000 },
          1_003
        )
        // What another party settled has no submission to track.
        yield* settlements.undone({ deposit: word(3) }, 1_004)
        assert.deepStrictEqual(yield* states, [["settled", null], ["settled", null], ["open", "undone"]])
        assert.deepStrictEqual((yield* settlements.claim(1_004, 1_005, 9)).map(({ deposit }) => deposit), [word(3)])
        assert.deepStrictEqual((yield* settlements.toCheck(8_999, 9)).map(({ deposit }) => deposit), [word(4)])
        // Its payment is gone: everything that it settled is tracked again.
        assert.isTrue(yield* settlements.reopen(submissionOf(1).id, 9_000))
        assert.isFalse(yield* settlements.reopen(submissionOf(1).id, 9_000))
        assert.lengthOf(yield* settlements.members(submissionOf(1).id), 2)
      })
    )

    testOnTables(
      "are opened for what a worker of a former version closed, once and so many at a time",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        const sql = yield* SqlClient.SqlClient
        const deposits = yield* Deposits
        yield* close(1)
        yield* Effect.forEach([2, 3, 4, 5, 6], (n) => deposits.note(named([depositOf(n)]), 100 + n), { discard: true })
        // As that version writes it: only the state.
        yield* sql`UPDATE deposits SET state = 'filled' WHERE onchain_id IN (${word(2)}, ${word(3)}, ${word(4)})`
        yield* sql`UPDATE deposits SET state = 'unrefundable' WHERE onchain_id = ${word(5)}`
        assert.strictEqual(yield* settlements.adopt(2, 700), 2)
        const both = yield* Effect.all([settlements.adopt(9, 700), settlements.adopt(9, 700)], { concurrency: 2 })
        assert.strictEqual(both[0] + both[1], 1)
        assert.strictEqual(yield* settlements.adopt(9, 700), 0)
        assert.deepStrictEqual(yield* settlements.open, [{ state: "open", count: 4, oldest: 501 }])
        assert.deepStrictEqual(yield* settlements.overdue(501, 900), { count: 3, oldest: 700, newest: 700 })
        assert.deepStrictEqual((yield* settlements.ofOrder(orderOf(3))).map(({ state }) => state), ["open"])
        // One whose settlement is known: nothing is opened twice.
        yield* settlements.conclude(
          only((yield* settlements.claim(1, 2, 9)).filter(({ deposit }) => deposit === word(2))),
          { _tag: "Settled", on, checkAt: 9 },
          2
        )
        yield* sql`UPDATE deposits SET has_settlement = NULL WHERE onchain_id = ${word(2)}`
        assert.strictEqual(yield* settlements.adopt(9, 700), 0)
        assert.strictEqual((yield* settlements.ofOrder(orderOf(2)))[0]?.state, "settled")
      })
    )

    live(
      "are overdue by when they were opened, however long ago their deposits were seen, one by one; what is out of reach counts as no look",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        yield* Effect.forEach(some(4), (n) => close(n), { discard: true })
        assert.deepStrictEqual(yield* settlements.overdue(0, 500), undefined)
        assert.deepStrictEqual(yield* settlements.overdue(0, 502), { count: 2, oldest: 501, newest: 502 })
        assert.deepStrictEqual(yield* settlements.overdue(502, 503), { count: 1, oldest: 503, newest: 503 })
        assert.isUndefined(yield* settlements.overdue(504, 1_000))
        const [first, second] = yield* settlements.claim(1, 2, 2)
        yield* settlements.conclude(first ?? assert.fail(), { _tag: "Refused", reason: "late" }, 2)
        assert.isUndefined(yield* settlements.overdue(0, 501))
        yield* settlements.conclude(
          second ?? assert.fail(),
          { _tag: "Unreached", reason: "hub-unavailable", dueAt: 7 },
          2
        )
        const again = (yield* settlements.claim(7, 8, 9)).find(({ deposit }) => deposit === second?.deposit)
        assert.strictEqual(again?.attempts, 0)
        assert.strictEqual((yield* settlements.ofOrder(orderOf(2)))[0]?.reason, "hub-unavailable")
      })
    )

    live(
      "that come to wait again are overdue by when that was",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        yield* Effect.forEach(some(3), (n) => close(n), { discard: true })
        const [first, second, third] = yield* settlements.claim(1, 2, 3)
        yield* settlements.conclude(first ?? assert.fail(), { _tag: "Refused", reason: "late" }, 600)
        yield* settlements.conclude(second ?? assert.fail(), { _tag: "Settled", on, checkAt: 900 }, 600)
        assert.isTrue(yield* settlements.submit(submissionOf(1), third === undefined ? [] : [third]))
        yield* settlements.end(submissionOf(1).id, { ...none, settled: new Set([word(3)]) }, 600)
        assert.isUndefined(yield* settlements.overdue(0, 10_000))
        yield* settlements.retry(orderOf(1), 1_001)
        yield* settlements.undone({ deposit: word(2) }, 1_002)
        yield* settlements.undone({ deposit: word(3) }, 1_003)
        assert.deepStrictEqual(yield* settlements.overdue(0, 10_000), { count: 3, oldest: 1_001, newest: 1_003 })
        // Excluded, and then closed again.
        yield* settlements.conclude(
          only((yield* settlements.claim(1_002, 1_010, 9)).filter(({ deposit }) => deposit === word(2))),
          { _tag: "Excluded" },
          1_003
        )
        const deposits = yield* Deposits
        yield* deposits.close(word(2), 1, "refunded", 2_000)
        assert.deepStrictEqual(yield* settlements.overdue(1_003, 10_000), { count: 1, oldest: 2_000, newest: 2_000 })
      })
    )

    testOnTables(
      "that a worker of a former version opened are overdue by when they were seen",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        const sql = yield* SqlClient.SqlClient
        yield* close(4)
        yield* sql`UPDATE settlements SET opened_at = NULL WHERE deposit = ${word(4)}`
        assert.deepStrictEqual(yield* settlements.overdue(0, 10_000), { count: 1, oldest: 104, newest: 104 })
        assert.isUndefined(yield* settlements.overdue(104, 10_000))
      })
    )

    live(
      "know how many of their last looks came to one reason, whatever was out of reach between them",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        yield* close(1)
        let now = 1
        const look = Effect.fnUntraced(function*(reason: string, tag: "Later" | "Unreached" = "Later") {
          const mine = only(yield* settlements.claim(now += 10, now + 5, 9))
          yield* settlements.conclude(mine, { _tag: tag, reason, dueAt: now }, now)
        })
        const alike = Effect.map(
          Effect.suspend(() => settlements.claim(now += 10, now + 5, 9)),
          (found) => only(found).alike
        )
        yield* look("signatures-missing")
        yield* look("payment-open")
        yield* look("alpha-unavailable", "Unreached")
        yield* look("payment-open")
        assert.deepStrictEqual(yield* alike, { reason: "payment-open", looks: 2 })
        yield* look("oracles-not-yet")
        yield* look("payment-open")
        const again = only(yield* settlements.claim(now += 10, now + 5, 9))
        assert.deepStrictEqual([again.alike, again.attempts], [{ reason: "payment-open", looks: 1 }, 5])
        // The submission was found: earlier attempts no longer count.
        assert.isTrue(yield* settlements.submit(submissionOf(1), [again]))
        yield* settlements.end(submissionOf(1).id, none, now)
        yield* look("payment-open")
        assert.deepStrictEqual((yield* alike)?.looks, 1)
      })
    )

    live(
      "end with their submission: settled, open again, or refused after too many failures; once",
      Effect.gen(function*() {
        const settlements = yield* Settlements
        yield* Effect.forEach(some(3), (n) => close(n), { discard: true })
        assert.isTrue(yield* settlements.submit(submissionOf(1), yield* settlements.claim(1, 2, 3)))
        assert.deepStrictEqual((yield* settlements.members(submissionOf(1).id)).map(({ deposit }) => deposit), [
          word(1),
          word(2),
          word(3)
        ])
        const end = { ...none, settled: new Set([word(1)]), failed: new Set([word(2)]), dueAt: 10 }
        assert.deepStrictEqual(yield* settlements.end(submissionOf(1).id, end, 5), [])
        assert.deepStrictEqual(
          yield* settlements.end(submissionOf(1).id, { ...end, settled: new Set([word(3)]) }, 5),
          []
        )
        const again = yield* settlements.claim(10, 20, 3)
        assert.deepStrictEqual(again.map(({ deposit, failures }) => [deposit, failures]), [[word(2), 1], [word(3), 0]])
        assert.isTrue(yield* settlements.submit(submissionOf(2), again))
        assert.deepStrictEqual(yield* settlements.end(submissionOf(2).id, { ...end, settled: new Set() }, 25), [
          word(2)
        ])
        assert.deepStrictEqual((yield* settlements.open).map(({ count, state }) => [state, count]), [["open", 1], [
          "refused",
          1
        ]])
        assert.strictEqual((yield* settlements.ofOrder(orderOf(1)))[0]?.state, "settled")
        assert.deepStrictEqual(yield* settlements.underWay, [])
        // A reorg that brings its deposit back settles nothing twice.
        const deposits = yield* Deposits
        yield* deposits.close(word(1), 1, "refunded", 9)
        assert.strictEqual((yield* settlements.ofOrder(orderOf(1)))[0]?.state, "settled")
        // A payment in flight keeps its submission tracked, whatever state the submission is in.
        const payments = yield* Payments
        const payment = { orderId: OrderId.make(submissionOf(1).id), recipient: someone, currency: native, amount: 0n }
        const sent = {
          account: someone,
          transactionId: TransactionId.make(word(9)),
          raw: "0x",
          sequence: 0n,
          block: depositOf(1).block,
          succeeded: true,
          gasPaid: 1n,
          movesNothing: false,
          payment
        }
        const place = { leg: "settlement", deposit: submissionOf(1).id, chainId } as const
        assert.isTrue(yield* payments.adopt({ ...place, sent, payment }, 1))
        assert.deepStrictEqual((yield* settlements.underWay).map(({ id }) => id), [submissionOf(1).id])
        assert.strictEqual((yield* settlements.ofOrder(orderOf(1)))[0]?.transactionId, TransactionId.make(word(9)))
      })
    )
  })
})
