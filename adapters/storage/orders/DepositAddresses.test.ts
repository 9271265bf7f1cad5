/**
 * Deposit addresses and their sweeps, on both engines: an address is stored once and permanently, and one balance has
 * one sweep.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import type { AddressPlace, KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { NewSweep, Sweep } from "../../../ports/store/orders/Sweeps.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { describeStores } from "../testing/stores.ts"
import { addressTransfer } from "../testing/Transfers.ts"

const word = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const address = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const currency = (n: number) => CurrencyAddress.make(`0x${n.toString(16).padStart(40, "0")}`)
const [alpha, beta] = [ChainId.make(616101), ChainId.make(616102)]

/** The sweep whose id is `id`. */
const sweep = (id: number, changes: Partial<NewSweep> = {}): NewSweep => ({
  id: Hex32.make(word(id)),
  chainId: alpha,
  address: address(1),
  currency: currency(0xc1),
  number: 0,
  orderId: OrderId.make(word(1001)),
  depositor: address(0xd1),
  units: 5n,
  queuedAt: id,
  ...changes
})

const queuedOf = (each: NewSweep): Sweep => ({
  ...each,
  depositId: undefined,
  state: "queued",
  height: undefined,
  round: 0
})
const atOnce = <A, E, R>(count: number, each: (n: number) => Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: count }, (_, n) => n), each, { concurrency: "unbounded" })
const countTrue = (answers: ReadonlyArray<boolean>): number => answers.filter((answer) => answer).length

describeStores(({ name, test, testOnTables }) => {
  test(
    "of many concurrent attempts to queue a sweep of one balance one succeeds, with any ids and numbers",
    Effect.gen(function*() {
      const sweeps = yield* Sweeps
      for (let round = 0; round < 8; round++) {
        const changes = (n: number) => ({ address: address(round + 1), number: round % 2 === 0 ? 0 : n % 3 })
        const answers = yield* atOnce(24, (n) => sweeps.queue(sweep(round * 100 + Math.trunc(n / 2), changes(n))))
        assert.strictEqual(countTrue(answers), 1)
        const kept = yield* sweeps.ofAddress(address(round + 1), 100)
        assert.lengthOf(kept, 1)
        const [winner] = kept
        assert.deepStrictEqual(yield* sweeps.find(winner?.id ?? Hex32.make(word(9))), winner)
      }
      assert.lengthOf(yield* sweeps.open, 8)
    })
  )

  test(
    "sweeps of different currencies, addresses and chains do not wait for each other",
    Effect.gen(function*() {
      const sweeps = yield* Sweeps
      const others = [
        sweep(1),
        sweep(2, { currency: currency(0xc2) }),
        sweep(3, { address: address(2) }),
        sweep(4, { chainId: beta })
      ]
      assert.strictEqual(countTrue(yield* atOnce(4, (n) => sweeps.queue(others[n] ?? sweep(9)))), 4)
      assert.deepStrictEqual(yield* sweeps.open, others.map(queuedOf))
      assert.deepStrictEqual(
        yield* sweeps.ofAddress(address(1), 9),
        [4, 2, 1].map((n) => queuedOf(others[n - 1] ?? sweep(9)))
      )
      assert.deepStrictEqual(
        yield* sweeps.ofAddress(address(1), 2),
        [4, 2].map((n) => queuedOf(others[n - 1] ?? sweep(9)))
      )
      assert.isUndefined(yield* sweeps.find(Hex32.make(word(9))))
    })
  )

  test(
    "a used number is refused for ever, done or void; an ended sweep keeps its result",
    Effect.gen(function*() {
      const sweeps = yield* Sweeps
      for (const state of ["done", "void"] as const) {
        const of = { address: address(state === "done" ? 1 : 2) }
        const first = sweep(state === "done" ? 10 : 20, of)
        assert.isTrue(yield* sweeps.queue(first))
        assert.isFalse(yield* sweeps.queue(sweep(30, { ...of, number: 1 })), "while one is queued")
        yield* sweeps.close(first.id, 0, { state, height: 7n }, 50)
        const ended = { ...first, depositId: undefined, state, height: 7n, round: 0 }
        assert.deepStrictEqual(yield* sweeps.find(first.id), ended)
        assert.isFalse(yield* sweeps.queue(first))
        assert.isFalse(yield* sweeps.queue(sweep(31, of)))
        yield* sweeps.close(first.id, 0, { state: state === "done" ? "void" : "done", height: 9n }, 60)
        yield* atOnce(5, () => sweeps.close(first.id, 0, { state, height: 8n }, 70))
        assert.deepStrictEqual(yield* sweeps.find(first.id), ended)
        assert.isTrue(yield* sweeps.queue(sweep(first.number + (state === "done" ? 11 : 21), { ...of, number: 1 })))
      }
      yield* sweeps.close(Hex32.make(word(99)), 0, { state: "done", height: 1n }, 1)
      assert.lengthOf(yield* sweeps.open, 2)
    })
  )

  test(
    "in any order of queueing, closing and undoing, a number is used once, one sweep is queued at a time, and the sums are right",
    Effect.gen(function*() {
      const sweeps = yield* Sweeps
      const step = fc.record({
        queue: fc.boolean(),
        /** Undone by a reorg, if this step queues nothing. */
        undo: fc.boolean(),
        currency: fc.integer({ min: 1, max: 2 }),
        number: fc.nat({ max: 6 }),
        done: fc.boolean(),
        /** Closes the queued sweep instead of the one with this number. */
        aimed: fc.boolean(),
        height: fc.oneof(fc.bigInt({ min: 0n, max: 120n }), fc.constant(2n ** 64n - 1n))
      })
      const histories = fc.sample(fc.array(step, { minLength: 1, maxLength: 25 }), {
        numRuns: inputs(40, 400),
        seed: 11
      })
      for (const [run, history] of histories.entries()) {
        const model = new Map<number, Sweep>()
        const ofCurrency = (n: number) => [...model.values()].filter((each) => each.currency === currency(n))
        for (const [at, each] of history.entries()) {
          const key = each.currency * 10 + each.number
          const made = sweep(run * 1000 + at, {
            address: address(run + 1),
            currency: currency(each.currency),
            number: each.number,
            queuedAt: at
          })
          if (each.queue) {
            const wanted = !model.has(key) && ofCurrency(each.currency).every(({ state }) => state !== "queued")
            assert.strictEqual(yield* sweeps.queue(made), wanted)
            if (wanted) model.set(key, queuedOf(made))
          } else if (each.undo) {
            const before = model.get(key)
            assert.strictEqual(yield* sweeps.reopen(before?.id ?? made.id), before?.state === "done")
            if (before?.state === "done") {
              model.set(key, { ...before, state: "queued", height: undefined, round: before.round + 1 })
            }
          } else {
            const end = { state: each.done ? "done" as const : "void" as const, height: each.height }
            const before = each.aimed
              ? ofCurrency(each.currency).find(({ state }) => state === "queued")
              : model.get(key)
            yield* sweeps.close(before?.id ?? made.id, before?.round ?? 0, end, at)
            if (before?.state === "queued") model.set(each.currency * 10 + before.number, { ...before, ...end })
          }
        }
        const wanted = [1, 2].filter((n) => ofCurrency(n).length > 0).map((n) => {
          const ended = ofCurrency(n).flatMap(({ height }) => height === undefined ? [] : [height])
          return {
            currency: currency(n),
            queued: ended.length < ofCurrency(n).length,
            unfinal: ofCurrency(n).some(({ state }) => state === "done"),
            completed: ended.length,
            lastHeight: ended.reduce<bigint | undefined>(
              (most, height) => most === undefined || height > most ? height : most,
              undefined
            )
          }
        })
        assert.deepStrictEqual(yield* sweeps.of(alpha, address(run + 1)), wanted)
        assert.deepStrictEqual(yield* sweeps.of(beta, address(run + 1)), [])
        for (const each of model.values()) assert.deepStrictEqual(yield* sweeps.find(each.id), each)
      }
    })
  )

  test(
    "an undone sweep is queued again in its next round, beside others of its address; its previous round can no longer end it",
    Effect.gen(function*() {
      const sweeps = yield* Sweeps
      const [first, second, third] = [sweep(1), sweep(2, { number: 1 }), sweep(3, { number: 2 })] as const
      assert.isFalse(yield* sweeps.reopen(first.id), "there is none")
      yield* sweeps.queue(first)
      assert.isFalse(yield* sweeps.reopen(first.id), "one that is queued is looked after")
      yield* sweeps.close(first.id, 0, { state: "done", height: 7n }, 10)
      yield* sweeps.queue(second)
      yield* sweeps.close(second.id, 0, { state: "done", height: 9n }, 20)
      const again = (each: NewSweep): Sweep => ({ ...queuedOf(each), round: 1 })
      for (const { id } of [second, first]) assert.strictEqual(countTrue(yield* atOnce(6, () => sweeps.reopen(id))), 1)
      assert.deepStrictEqual(yield* sweeps.open, [again(first), again(second)])
      assert.deepStrictEqual(yield* sweeps.of(alpha, address(1)), [{
        currency: currency(0xc1),
        queued: true,
        unfinal: false,
        completed: 0,
        lastHeight: undefined
      }])
      assert.isFalse(yield* sweeps.queue(third), "the balance lies there again, and is swept already")
      yield* sweeps.close(first.id, 0, { state: "void", height: 8n }, 30)
      assert.deepStrictEqual(yield* sweeps.find(first.id), again(first))
      yield* sweeps.close(first.id, 1, { state: "done", height: 11n }, 40)
      assert.isFalse(yield* sweeps.queue(third), "the other one is queued still")
      yield* sweeps.close(second.id, 1, { state: "void", height: 12n }, 50)
      assert.deepStrictEqual(yield* sweeps.ofAddress(address(1), 9), [
        { ...again(second), state: "void", height: 12n },
        { ...again(first), state: "done", height: 11n }
      ])
      assert.isFalse(yield* sweeps.reopen(second.id), "it moved nothing")
      assert.isTrue(yield* sweeps.queue(third))
      // Undone while the next one is queued in its first round: both have a transaction.
      assert.isTrue(yield* sweeps.reopen(first.id))
      assert.deepStrictEqual((yield* sweeps.open).map(({ id, round }) => [id, round]), [[first.id, 2], [third.id, 0]])
    })
  )

  test(
    "a sweep is to be guarded from when it is done until it is final, fails or is undone (ADDRESS-17)",
    Effect.gen(function*() {
      const sweeps = yield* Sweeps
      const [first, second] = [sweep(1), sweep(2, { number: 1 })] as const
      const unfinal = Effect.map(sweeps.unfinal, (found) => found.map(({ id, round }) => [id, round]))
      yield* sweeps.queue(first)
      yield* sweeps.recordFinal(first.id, 0, 9)
      assert.deepStrictEqual(yield* unfinal, [], "while it is queued")
      yield* sweeps.close(first.id, 0, { state: "done", height: 7n }, 10)
      yield* sweeps.queue(second)
      yield* sweeps.close(second.id, 0, { state: "void", height: 8n }, 20)
      yield* sweeps.recordFinal(first.id, 1, 21)
      assert.deepStrictEqual(yield* unfinal, [[first.id, 0]], "of another round")
      yield* sweeps.recordFinal(first.id, 0, 22)
      assert.deepStrictEqual(yield* unfinal, [])
      assert.isTrue(yield* sweeps.reopen(first.id))
      yield* sweeps.close(first.id, 1, { state: "done", height: 9n }, 30)
      assert.deepStrictEqual(yield* unfinal, [[first.id, 1]])
      yield* sweeps.fail(first.id, 1)
      assert.deepStrictEqual(yield* unfinal, [])
    })
  )

  test(
    "a sweep that is done is recorded as having moved nothing, in its own round only",
    Effect.gen(function*() {
      const sweeps = yield* Sweeps
      const made = sweep(1)
      yield* sweeps.queue(made)
      yield* sweeps.fail(made.id, 0)
      assert.deepStrictEqual(yield* sweeps.find(made.id), queuedOf(made), "one that is queued is looked after")
      yield* sweeps.close(made.id, 0, { state: "done", height: 7n }, 10)
      yield* sweeps.fail(made.id, 1)
      assert.strictEqual((yield* sweeps.find(made.id))?.state, "done")
      yield* sweeps.fail(made.id, 0)
      assert.strictEqual((yield* sweeps.find(made.id))?.state, "void")
      assert.isFalse(yield* sweeps.reopen(made.id), "it moved nothing")
    })
  )

  test(
    "amounts and heights are stored exactly, up to 2^256 - 1",
    Effect.gen(function*() {
      const sweeps = yield* Sweeps
      const most = 2n ** 256n - 1n
      const amounts = [
        0n,
        2n ** 53n + 1n,
        2n ** 63n,
        most,
        ...fc.sample(fc.bigInt({ min: 0n, max: most }), { numRuns: inputs(30, 1_000), seed: 3 })
      ]
      for (const [number, units] of amounts.entries()) {
        const made = sweep(number, { number, units })
        assert.isTrue(yield* sweeps.queue(made))
        assert.deepStrictEqual(yield* sweeps.open, [queuedOf(made)])
        yield* sweeps.close(made.id, 0, { state: "done", height: units }, 1)
        assert.deepStrictEqual(yield* sweeps.find(made.id), {
          ...made,
          depositId: undefined,
          state: "done",
          height: units,
          round: 0
        })
      }
      const sums = {
        currency: currency(0xc1),
        queued: false,
        unfinal: true,
        completed: amounts.length,
        lastHeight: most
      }
      assert.deepStrictEqual(yield* sweeps.of(alpha, address(1)), [sums])
      for (const { id } of yield* sweeps.unfinal) yield* sweeps.recordFinal(id, 0, 2)
      assert.deepStrictEqual(yield* sweeps.of(alpha, address(1)), [{ ...sums, unfinal: false }])
    })
  )

  test(
    "the order that a sweep's deposit will name is decided once, under concurrency and across rounds",
    Effect.gen(function*() {
      const sweeps = yield* Sweeps
      const made = sweep(7)
      yield* sweeps.queue(made)
      const orders = Array.from({ length: 8 }, (_, n) => OrderId.make(word(3000 + n)))
      const named = yield* atOnce(8, (n) => sweeps.name(made.id, orders[n] ?? OrderId.make(word(0))))
      const [decided] = new Set(named)
      assert.strictEqual(new Set(named).size, 1)
      assert.include(orders, decided)
      yield* sweeps.close(made.id, 0, { state: "done", height: 3n }, 1)
      yield* sweeps.reopen(made.id)
      assert.strictEqual(yield* sweeps.name(made.id, OrderId.make(word(1))), decided)
      assert.strictEqual((yield* sweeps.find(made.id))?.depositId, decided)
    })
  )

  test(
    "finds which of many accounts are addresses of ours, on whatever chain they were quoted",
    Effect.gen(function*() {
      const transfers = yield* Transfers
      const addresses = yield* DepositAddresses
      const quoted = [alpha, beta].map((originChainId, n) =>
        addressTransfer(n, { address: address(n + 1), mode: "open", depositor: address(0xd1) }, { originChainId })
      )
      yield* Effect.forEach(quoted, (transfer) => transfers.add(transfer))
      const all = yield* Effect.forEach(quoted, ({ id }) => addresses.findByRequest(id))
      const accounts = all.flatMap((kept) => kept?.address ?? [])
      assert.lengthOf(accounts, 2)
      const strangers = Array.from({ length: 2_500 }, (_, n) => address(100_000 + n))
      const among = yield* addresses.among([...strangers, ...accounts, ...accounts])
      assert.deepStrictEqual(among.toSorted((one, other) => one.address < other.address ? -1 : 1), all)
      assert.deepStrictEqual(yield* addresses.among([]), [])
    })
  )

  test(
    "of many concurrent reindexes one is admitted, and again one of those that have seen its record",
    Effect.gen(function*() {
      const { noteReindex, reindexedAt } = yield* DepositAddresses
      let last: number | undefined
      for (let round = 1; round <= 6; round++) {
        const seen = last
        const at = (n: number) => round * 100 + (round % 2 === 0 ? 0 : n)
        const answers = yield* atOnce(20, (n) => noteReindex(alpha, address(1), beta, seen, at(n)))
        assert.strictEqual(countTrue(answers), 1)
        last = yield* reindexedAt(alpha, address(1), beta)
        assert.strictEqual(last, at(answers.indexOf(true)))
      }
      assert.isFalse(yield* noteReindex(alpha, address(1), beta, undefined, 9_999))
      assert.isFalse(yield* noteReindex(alpha, address(1), beta, 1, 9_999))
      assert.isFalse(
        yield* noteReindex(alpha, address(1), beta, last, last ?? 0),
        "a note that nobody could tell from the last one"
      )
      assert.strictEqual(yield* reindexedAt(alpha, address(1), beta), last)
      for (const [chain, to, target] of [[alpha, 1, alpha], [beta, 1, beta], [alpha, 2, beta]] as const) {
        assert.isUndefined(yield* reindexedAt(chain, address(to), target))
        assert.isTrue(yield* noteReindex(chain, address(to), target, undefined, 5))
      }
      assert.strictEqual(yield* reindexedAt(alpha, address(1), beta), last)
    })
  )

  test(
    "removing a reindex record removes only one's own, and restores the previous one",
    Effect.gen(function*() {
      const { forgetReindex, noteReindex, reindexedAt } = yield* DepositAddresses
      const of = [alpha, address(1), beta] as const
      yield* noteReindex(...of, undefined, 5)
      yield* noteReindex(alpha, address(1), alpha, undefined, 5)
      yield* forgetReindex(...of, undefined, 4)
      assert.strictEqual(yield* reindexedAt(...of), 5)
      yield* forgetReindex(...of, undefined, 5)
      assert.isUndefined(yield* reindexedAt(...of))
      assert.strictEqual(yield* reindexedAt(alpha, address(1), alpha), 5)
      assert.isTrue(yield* noteReindex(...of, undefined, 6))
      assert.isTrue(yield* noteReindex(...of, 6, 7))
      yield* forgetReindex(...of, undefined, 6)
      assert.strictEqual(yield* reindexedAt(...of), 7, "somebody else has noted since")
      yield* forgetReindex(...of, 6, 7)
      assert.strictEqual(yield* reindexedAt(...of), 6)
    })
  )

  test(
    "an address is stored with the transfer that it was quoted with, and later requests refer to it, on any chain",
    Effect.gen(function*() {
      const { find, findByRequest, requestsOf } = yield* DepositAddresses
      const transfers = yield* Transfers
      const apiKeyId = ApiKeyId.make("k")
      yield* (yield* ApiKeys).add({ id: apiKeyId, label: "" }, Hex32.make(word(1)), 1)
      const first = addressTransfer(1, {
        address: address(1),
        mode: "open",
        depositor: address(0xd1),
        factory: address(0xf1),
        refundTo: address(0xe1)
      }, { quotedAt: 7, apiKeyId })
      yield* transfers.add(first)
      const kept: KeptAddress = {
        chainId: alpha,
        address: address(1),
        mode: "open",
        requestId: first.id,
        orderId: first.orderId,
        depositor: address(0xd1),
        factory: address(0xf1),
        currency: first.terms.originCurrency,
        refundTo: address(0xe1),
        apiKeyId,
        createdAt: 7
      }
      assert.deepStrictEqual(yield* find(alpha, address(1)), kept)
      assert.deepStrictEqual(yield* transfers.find(first.id), first)
      const later = [2, 3, 4, 5, 6].map((n) =>
        addressTransfer(n, { address: address(1), mode: "open", depositor: address(0xd2) }, {
          quotedAt: 7 + n,
          ...(n % 2 === 0 ? { originChainId: beta } : {})
        })
      )
      yield* Effect.forEach(later, (transfer) => transfers.add(transfer), { concurrency: "unbounded", discard: true })
      assert.deepStrictEqual(yield* find(alpha, address(1)), kept)
      assert.isUndefined(yield* find(beta, address(1)))
      for (const { id } of [first, ...later]) assert.deepStrictEqual(yield* findByRequest(id), kept)
      const newestFirst = [first, ...later].map(({ id }) => id).toReversed()
      assert.deepStrictEqual(yield* requestsOf(address(1), 100), newestFirst)
      assert.deepStrictEqual(yield* requestsOf(address(1), 2), newestFirst.slice(0, 2))
    })
  )

  test(
    "of many concurrent requests that name a new address one makes its record, and all refer to it",
    Effect.gen(function*() {
      const { findByRequest, recent, requestsOf } = yield* DepositAddresses
      const transfers = yield* Transfers
      const made = (n: number) =>
        addressTransfer(n + 1, { address: address(1), mode: "open", depositor: address(0xd1) }, {
          quotedAt: n,
          originChainId: n % 2 === 0 ? alpha : beta
        })
      yield* atOnce(16, (n) => transfers.add(made(n)))
      const of = (chain: ChainId) =>
        Effect.map(recent(chain, { since: 0, until: undefined }, undefined, 9), ({ addresses }) => addresses)
      const records = [...yield* of(alpha), ...yield* of(beta)]
      assert.lengthOf(records, 1)
      assert.lengthOf(yield* requestsOf(address(1), 99), 16)
      for (let n = 0; n < 16; n++) assert.deepStrictEqual(yield* findByRequest(made(n).id), records[0])
    })
  )

  test(
    "a strict address without refundTo and key is stored as such; a transfer without an address stores none, nor does a refused one",
    Effect.gen(function*() {
      const { find, findByRequest, requestsOf } = yield* DepositAddresses
      const transfers = yield* Transfers
      const strict = addressTransfer(1, { address: address(1), mode: "strict", depositor: address(0xd1) })
      yield* transfers.add(strict)
      const kept = yield* find(alpha, address(1))
      assert.deepStrictEqual([kept?.mode, kept?.refundTo, kept?.apiKeyId], ["strict", undefined, undefined])
      const plain = addressTransfer(2, undefined)
      yield* transfers.add(plain)
      assert.isUndefined(yield* findByRequest(plain.id))
      const refused = {
        ...addressTransfer(3, { address: address(3), mode: "open", depositor: address(0xd1) }),
        orderId: strict.orderId
      }
      assert.strictEqual((yield* Effect.flip(transfers.add(refused)))._tag, "StoreUnavailable")
      assert.isUndefined(yield* find(alpha, address(3)))
      assert.deepStrictEqual(yield* requestsOf(address(3), 9), [])
    })
  )

  test(
    "recent addresses are those made or swept since, newest first, including sweeps on another chain or by a slow clock",
    Effect.gen(function*() {
      const { recent } = yield* DepositAddresses
      const sweeps = yield* Sweeps
      const transfers = yield* Transfers
      for (const n of [1, 2, 3, 4]) {
        yield* transfers.add(
          addressTransfer(n, { address: address(n), mode: "open", depositor: address(0xd1) }, { quotedAt: n * 10 })
        )
      }
      yield* transfers.add(
        addressTransfer(5, { address: address(5), mode: "open", depositor: address(0xd1) }, {
          quotedAt: 50,
          originChainId: beta
        })
      )
      const numbers = (since: number, until?: number) =>
        Effect.map(
          recent(alpha, { since, until }, undefined, 9),
          ({ addresses }) => addresses.map((each) => Number(each.address))
        )
      assert.deepStrictEqual(yield* numbers(0), [4, 3, 2, 1])
      assert.deepStrictEqual(yield* numbers(20), [4, 3, 2])
      assert.deepStrictEqual(yield* numbers(20, 40), [3, 2])
      assert.isTrue(yield* sweeps.queue(sweep(1, { address: address(1), queuedAt: 35, chainId: beta })))
      assert.deepStrictEqual(yield* numbers(30), [4, 1, 3])
      assert.isFalse(yield* sweeps.queue(sweep(2, { address: address(1), queuedAt: 90, chainId: beta })))
      yield* sweeps.close(Hex32.make(word(1)), 0, { state: "done", height: 1n }, 95)
      assert.deepStrictEqual(yield* numbers(30), [4, 1, 3], "what is not queued, and an end, move nothing")
      assert.isTrue(yield* sweeps.queue(sweep(3, { address: address(4), queuedAt: 5 })))
      assert.deepStrictEqual(yield* numbers(30), [4, 1, 3], "the time does not go back")
      const [other, ...more] = (yield* recent(beta, { since: 0, until: undefined }, undefined, 9)).addresses
      assert.deepStrictEqual([other?.address, other?.createdAt, more.length], [address(5), 50, 0])
    })
  )

  test(
    "recent addresses come page by page, each once, for any range and size, also with many of one moment",
    Effect.gen(function*() {
      const { recent } = yield* DepositAddresses
      const transfers = yield* Transfers
      const touched = [10, 10, 10, 10, 20, 30, 30, 40, 40, 40, 50]
      for (const [n, quotedAt] of touched.entries()) {
        yield* transfers.add(
          addressTransfer(n + 1, { address: address(n + 1), mode: "open", depositor: address(0xd1) }, { quotedAt })
        )
      }
      const newestFirst = touched.map((at, n) => ({ at, n: n + 1 })).toReversed()
      const pagesOf = Effect.fnUntraced(function*(since: number, until: number | undefined, limit: number) {
        const pages = new Array<ReadonlyArray<number>>()
        let after: AddressPlace | undefined
        do {
          const { addresses, next } = yield* recent(alpha, { since, until }, after, limit)
          pages.push(addresses.map((each) => Number(each.address)))
          after = next
        } while (after !== undefined)
        return pages
      })
      for (const since of [0, 10, 11, 30, 60]) {
        for (const until of [undefined, 10, 30, 40, 41]) {
          const wanted = newestFirst.filter(({ at }) => at >= since && (until === undefined || at < until)).map((
            { n }
          ) => n)
          for (const limit of [1, 2, 3, 11, 12]) {
            const pages = yield* pagesOf(since, until, limit)
            assert.deepStrictEqual(pages.flat(), wanted, `${since} to ${until}, ${limit} a page`)
            assert.lengthOf(pages, Math.max(1, Math.ceil(wanted.length / limit)))
          }
        }
      }
      // A position that the range is past, or has not reached yet.
      const numbersAfter = (at: number, n: number, since: number, until: number) =>
        Effect.map(
          recent(alpha, { since, until }, { touchedAt: at, address: address(n) }, 2),
          ({ addresses }) => addresses.map((each) => Number(each.address))
        )
      assert.deepStrictEqual(yield* numbersAfter(10, 2, 20, 60), [])
      assert.deepStrictEqual(yield* numbersAfter(50, 11, 10, 31), [7, 6])
      assert.deepStrictEqual(yield* numbersAfter(40, 9, 10, 40), [7, 6])
    })
  )

  testOnTables(
    "what is asked often reads an index in its order, never every row",
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const plans = sql.withTransaction(Effect.gen(function*() {
        // PostgreSQL reads an empty table in full because that is cheapest; the test is whether it has to.
        if (name === "postgres") {
          yield* Effect.all([sql`SET LOCAL enable_seqscan = off`, sql`SET LOCAL enable_bitmapscan = off`])
        }
        const explain = (query: string) =>
          Effect.map(
            sql.unsafe(`EXPLAIN ${name === "sqlite" ? "QUERY PLAN " : ""}${query}`),
            (rows) => rows.map((row) => Object.values(row).join(" ")).join("\n")
          )
        return yield* Effect.forEach(
          [
            ...["", " AND touched_at < 9", " AND (touched_at, address) < (9, 'a')"].map((before) =>
              [
                "deposit_addresses_recent",
                `SELECT * FROM deposit_addresses WHERE chain_id = 1 AND touched_at >= 5${before} ORDER BY touched_at DESC, address DESC LIMIT 5`
              ] as const
            ),
            [
              "deposit_address_requests_by_address",
              "SELECT request_id FROM deposit_address_requests WHERE address = 'a' ORDER BY request_id DESC LIMIT 5"
            ],
            [
              "sweeps_by_address",
              "SELECT * FROM sweeps WHERE address = 'a' ORDER BY queued_at DESC, number DESC, id DESC LIMIT 5"
            ],
            ["sweeps_open", "SELECT * FROM sweeps WHERE state = 'queued' ORDER BY queued_at, id"],
            [
              "transfers_unpaid",
              "SELECT id FROM transfers WHERE status = 'waiting' AND deposit_address IS NULL AND quoted_at < 5 AND (quoted_at, id) > (1, 'a') ORDER BY quoted_at, id LIMIT 5"
            ]
          ] as const,
          ([index, query]) => Effect.map(explain(query), (plan) => [index, plan] as const)
        )
      }))
      for (const [index, plan] of yield* plans) {
        assert.include(plan, index, plan)
        assert.notMatch(plan, /Seq Scan|TEMP B-TREE|Sort/u, plan)
      }
    })
  )
})
