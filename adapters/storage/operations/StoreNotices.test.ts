/** What is committed is heard by every process, and nothing else is. */
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { CallLosses } from "../../../ports/store/ledger/CallLosses.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { Restorations } from "../../../ports/store/operations/Restorations.ts"
import { STORE_TOPICS } from "../../../ports/store/operations/StoreNotices.ts"
import type { StoreNotices, StoreTopic } from "../../../ports/store/operations/StoreNotices.ts"
import { DepositKeys } from "../../../ports/store/orders/DepositKeys.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { solana } from "../../../src/domain/families/solana/Rules.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { named } from "../testing/Named.ts"
import { StoreCommands } from "../testing/StoreLayers.ts"
import { describeStores } from "../testing/stores.ts"
import { addressTransfer, transferOf } from "../testing/Transfers.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const chainId = ChainId.make(1)
const someone = Address.make(`0x${"a1".repeat(20)}`)

/** All of one order. */
const depositOf = (n: number): Deposit => ({
  onchainId: Hex32.make(id(n)),
  chainId,
  transactionId: TransactionId.make(id(n)),
  index: 0,
  block: { height: 7n, hash: "0xaa", time: 1 },
  depositId: Hex32.make(id(1000)),
  depositor: someone,
  sender: someone,
  currency: CurrencyAddress.make(`0x${"0".repeat(40)}`),
  amount: 9n
})

/** A request for a direct payment, and that payment. */
const awaitSend = (n: number) =>
  Effect.flatMap(Transfers, ({ add }) => {
    const transfer = transferOf(n, {})
    const orderId = OrderId.make(Hex32.make(id(n)))
    return add({ ...transfer, orderId, terms: { ...transfer.terms, originChainId: chainId, send: true as const } })
  })

const seenSend = (n: number) => ({
  orderId: OrderId.make(Hex32.make(id(n))),
  transactionId: TransactionId.make(id(100 + n)),
  block: { height: 7n, hash: id(7), time: 1 }
})

const note = (...numbers: ReadonlyArray<number>) =>
  Effect.flatMap(Deposits, ({ note }) => note(named(numbers.map(depositOf)), 1))

const close = (n: number, sighting: number, state: "filled" | "refunded") =>
  Effect.flatMap(Deposits, ({ close }) => close(depositOf(n).onchainId, sighting, state, 2))

const pause = (name: string) =>
  Effect.flatMap(Pauses, ({ add }) => add({ id: name, scope: { _tag: "Chain", chainId }, reason: "why", createdAt: 1 }))

/** How often each topic was heard. */
const heardBy = Effect.fnUntraced(function*({ heard }: StoreNotices["Service"]) {
  const counts = new Map<StoreTopic, number>()
  for (const topic of STORE_TOPICS) counts.set(topic, yield* heard(topic))
  return counts
})

/**
 * Waits until a notice has made the whole way, so that everything committed before it was heard too. A connection
 * counts as a notice of every topic, of webhooks too: then it is no notice yet.
 */
const settle = Effect.fnUntraced(function*(notices: StoreNotices["Service"]) {
  const pauses = yield* Pauses
  const other = notices.heard("webhooks")
  for (let before = -1; before !== (yield* other);) {
    before = yield* other
    const known = yield* notices.heard("pauses")
    yield* pauses.remove("settle")
    yield* pause("settle")
    yield* notices.after("pauses", known)
  }
})

/** Fails unless `write` is heard as these topics and no others. `pauses` are heard of `settle`. */
const expectHeard = Effect.fnUntraced(function*<E, R>(
  notices: StoreNotices["Service"],
  topics: ReadonlyArray<StoreTopic>,
  write: Effect.Effect<unknown, E, R>
) {
  const before = yield* heardBy(notices)
  yield* write
  yield* settle(notices)
  const after = yield* heardBy(notices)
  const heard = STORE_TOPICS.filter((topic) => topic !== "pauses" && before.get(topic) !== after.get(topic))
  assert.deepStrictEqual(heard, topics)
})

describeStores(({ name, test, testOnTables }) => {
  test(
    "what is committed is heard by every process, and what is rolled back by none",
    Effect.scoped(Effect.gen(function*() {
      const { notices, transaction } = yield* StoreCommands
      const both = [yield* notices, yield* notices]
      for (const each of both) yield* settle(each)
      const known = yield* Effect.forEach(both, heardBy)
      const rolledBack = yield* Effect.flip(transaction(Effect.gen(function*() {
        yield* note(1)
        // A savepoint that is kept belongs to a transaction that is not.
        yield* transaction(note(2))
        return yield* Effect.fail("no")
      })))
      assert.strictEqual(rolledBack, "no")
      yield* transaction(Effect.gen(function*() {
        const undone = yield* Effect.flip(transaction(Effect.andThen(note(3), Effect.fail("no"))))
        assert.strictEqual(undone, "no")
        yield* pause("chain:1")
      }))
      for (const [index, heard] of both.entries()) {
        const before = known[index] ?? assert.fail("no process")
        yield* heard.after("pauses", before.get("pauses") ?? 0)
        assert.strictEqual(yield* heard.heard("deposits"), before.get("deposits"))
      }
    }))
  )

  test(
    "each topic's changes are heard, and no others",
    Effect.scoped(Effect.gen(function*() {
      const { markRestored, notices } = yield* StoreCommands
      const [deposits, directPayments, restorations] = yield* Effect.all([Deposits, DirectPayments, Restorations])
      const heard = yield* notices
      yield* settle(heard)
      const { onchainId } = depositOf(1)
      yield* expectHeard(heard, ["deposits"], note(1))
      yield* expectHeard(heard, [], deposits.noteForeign([depositOf(2)], 1))
      yield* expectHeard(heard, ["deposits"], deposits.sightAgain({ onchainId, sighting: 1 }))
      yield* expectHeard(heard, [], close(1, 2, "filled"))
      yield* expectHeard(heard, ["deposits"], note(3, 4))
      // Another deposit of the order may follow.
      yield* expectHeard(heard, ["deposits"], close(3, 1, "refunded"))
      yield* expectHeard(heard, [], close(4, 1, "refunded"))
      yield* expectHeard(heard, [], deposits.anchor(chainId, { height: 1n, hash: "0xaa" }))
      yield* awaitSend(5)
      yield* expectHeard(heard, ["direct-payments"], directPayments.anchor(chainId, { height: 1n, hash: "0xaa" }))
      yield* expectHeard(heard, [], directPayments.anchor(chainId, { height: 2n, hash: "0xbb" }))
      yield* expectHeard(heard, [], directPayments.record(chainId, { height: 2n, hash: "0xbb" }, []))
      yield* expectHeard(heard, ["direct-payments"], directPayments.note(seenSend(5)))
      yield* expectHeard(heard, [], directPayments.settle(seenSend(5).orderId))
      const transfers = yield* Transfers
      const addressed = (n: number, quotedAt: number) =>
        transfers.add(addressTransfer(
          n,
          {
            address: Address.make(`address ${n}`),
            depositor: someone,
            factory: someone,
            mode: "open",
            refundTo: someone
          },
          { originChainId: chainId, quotedAt }
        ))
      yield* expectHeard(heard, ["deposit-addresses"], addressed(11, 1_000_000))
      yield* expectHeard(heard, [], addressed(12, 1_200_000))
      yield* expectHeard(heard, ["deposit-addresses"], addressed(13, 1_500_001))
      const keys = yield* DepositKeys
      const addressOf = (number: number) => ({ generation: 7, number, address: Address.make(`address ${number}`) })
      yield* expectHeard(heard, [], keys.add(solana, [15, 16].map(addressOf)))
      // One of two, whichever it is, and then the other.
      const claimBoth = Effect.andThen(keys.claim(solana, seenSend(1).orderId), keys.claim(solana, seenSend(2).orderId))
      yield* expectHeard(heard, ["deposit-keys"], claimBoth)
      yield* keys.add(solana, [addressOf(17)])
      yield* expectHeard(heard, [], keys.claim(solana, seenSend(3).orderId))
      yield* keys.add(solana, [addressOf(18)])
      yield* expectHeard(heard, [], keys.begin(solana, 1))
      yield* keys.add(solana, [addressOf(32)])
      yield* expectHeard(heard, ["deposit-keys"], keys.begin(solana, 2))
      const losses = yield* CallLosses
      const lossOf = (usdMicros: bigint) => ({ orderId: seenSend(1).orderId, sender: someone, usdMicros })
      const reserve = (usdMicros: bigint) =>
        losses.reserve({ ...lossOf(usdMicros), kind: "swap" }, { all: 9n, sender: 9n }, 1)
      yield* expectHeard(heard, [], reserve(3n))
      yield* expectHeard(heard, [], reserve(3n))
      // A replacement at a higher fee; what the fill has cost; a refund that has paid for it.
      yield* expectHeard(heard, ["call-losses"], reserve(4n))
      yield* expectHeard(heard, ["call-losses"], losses.settle(lossOf(2n), 1))
      yield* expectHeard(heard, [], losses.settle(lossOf(0n), 1))
      yield* expectHeard(heard, ["restorations"], markRestored(1))
      yield* expectHeard(heard, [], restorations.fenceAt(chainId, someone, 1n))
      yield* expectHeard(heard, ["restorations"], restorations.settle(chainId, [], 1))
    }))
  )

  testOnTables(
    "a lock of a deposit's row is not heard",
    Effect.scoped(Effect.gen(function*() {
      const heard = yield* (yield* StoreCommands).notices
      yield* settle(heard)
      yield* note(1)
      yield* settle(heard)
      const sql = yield* SqlClient.SqlClient
      yield* expectHeard(heard, [], sql`UPDATE deposits SET state = state WHERE onchain_id = ${id(1)}`)
    }))
  )

  test(
    "a notice before the waiting is not missed, and an interrupted waiting leaves nothing behind",
    Effect.scoped(Effect.gen(function*() {
      const heard = yield* (yield* StoreCommands).notices
      yield* settle(heard)
      const known = yield* heard.heard("pauses")
      const stopped = yield* Effect.forkChild(heard.after("pauses", known))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(stopped)
      yield* pause("chain:1")
      yield* heard.after("pauses", known)
      yield* heard.after("pauses", known)
    }))
  )

  if (name === "postgres") {
    testOnTables(
      "a connection that is cut is made again, and counts as a notice of everything",
      Effect.scoped(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const heard = yield* (yield* StoreCommands).notices
        yield* settle(heard)
        const known = yield* heardBy(heard)
        const cut = yield* sql`SELECT pg_terminate_backend(pid)::text AS cut FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'LISTEN%'`
        // `Pauses` listens, too.
        assert.isNotEmpty(cut)
        for (const topic of STORE_TOPICS) yield* heard.after(topic, known.get(topic) ?? 0)
        const listening = sql`SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'LISTEN%'`
        yield* listening.pipe(Effect.repeat({ until: (rows) => rows.length === cut.length }))
        yield* settle(heard)
      }))
    )
  }
})
