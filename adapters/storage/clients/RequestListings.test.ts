/**
 * Listings and sums of a key's requests, on both engines: every row once under concurrent writes, no other key's rows,
 * and by an index.
 */
import { assert } from "@effect/vitest"
import { Effect, Fiber, Latch, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { RequestListings } from "../../../ports/store/clients/RequestListings.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { ApiKeyId, apiKeyHash } from "../../../src/domain/api-key/ApiKey.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import { sponsorMovementId } from "../../../src/domain/ledger/LedgerIds.ts"
import * as Movements from "../../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../../src/domain/ledger/Transaction.ts"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { DAY_MS } from "../../../src/domain/calendar/Day.ts"
import { summarise } from "../../../src/domain/timeline/history/Summary.ts"
import { makeContinuation, readContinuation } from "../../../src/domain/timeline/history/Continuation.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import { describeStores } from "../testing/stores.ts"
import { sponsoredTransfer, transferOf } from "../testing/Transfers.ts"

const mine = ApiKeyId.make("mine")
const other = ApiKeyId.make("other")
const START = Date.UTC(2026, 10, 1)

/** The same pseudo-random numbers in every run. They alone decide what happens when. */
const draws = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor(state / 65_536) % below
  }
}

describeStores(({ name: engineName, test, testOnTables }) => {
  const withKeys = Effect.gen(function*() {
    const keys = yield* ApiKeys
    for (const id of [mine, other]) yield* keys.add({ id, label: "" }, apiKeyHash(id), 1)
  })

  /** Reads every page from first to last, and runs `between` before each. */
  const walk = Effect.fnUntraced(
    function*(
      filter: Parameters<RequestListings["Service"]["page"]>[1],
      limit: number,
      between: Effect.Effect<void, unknown>
    ) {
      const listings = yield* RequestListings
      const seen: Array<Transfer> = []
      let continuation: string | undefined
      do {
        yield* between
        const after = continuation === undefined ? undefined : readContinuation("walk", continuation)
        const page: ReadonlyArray<Transfer> = yield* listings.page(mine, filter, after, limit)
        seen.push(...page)
        const last = page.at(-1)
        continuation = last === undefined ? undefined : makeContinuation("walk", { at: last.quotedAt, id: last.id })
      } while (continuation !== undefined)
      return seen
    }
  )

  test(
    "pages through every existing row exactly once, while rows are added and change their states",
    Effect.gen(function*() {
      const transfers = yield* Transfers
      yield* withKeys
      for (const seed of [1, 2, 3]) {
        const draw = draws(seed)
        let made = seed * 10_000
        // Few different milliseconds, so that many rows share one; and late rows, as of a process whose clock is
        // behind.
        const add = Effect.suspend(() => {
          made += 1
          const transfer = transferOf(made, {
            apiKeyId: draw(4) === 0 ? other : mine,
            quotedAt: START + seed * 1_000_000 + draw(12)
          })
          return Effect.as(transfers.add(transfer), transfer)
        })
        const there = yield* Effect.forEach(Array.from({ length: 60 }), () => add)
        const ids = there.filter(({ apiKeyId }) => apiKeyId === mine).map(({ id }) => id)
        const write = Effect.gen(function*() {
          yield* add
          const chosen = there[draw(there.length)]
          if (chosen !== undefined) {
            yield* transfers.move(chosen.id, {
              to: (["depositing", "pending", "submitted", "success"] as const)[draw(4)] ?? "pending",
              at: START
            })
          }
        })
        const seen = yield* walk({}, 1 + draw(9), write)
        assert.strictEqual(new Set(seen.map(({ id }) => id)).size, seen.length, "no row twice")
        assert.includeMembers(seen.map(({ id }) => id), ids, "none missing")
        assert.isTrue(seen.every(({ apiKeyId }) => apiKeyId === mine), "nobody else's")
        const order = seen.map(({ id, quotedAt }) => `${quotedAt} ${id}`)
        assert.deepStrictEqual(order, order.toSorted().toReversed(), "newest first")
      }
    })
  )

  test(
    "filters by state, user and sponsor",
    Effect.gen(function*() {
      const transfers = yield* Transfers
      const listings = yield* RequestListings
      yield* withKeys
      const alice = Address.make(`0x${"a1".repeat(20)}`)
      yield* transfers.add(transferOf(1, { apiKeyId: mine, quotedAt: START }))
      yield* transfers.add(sponsoredTransfer(2, { apiKeyId: mine, quotedAt: START + 1 }))
      yield* transfers.add(transferOf(3, { apiKeyId: mine, quotedAt: START + 2, user: alice }))
      yield* transfers.add(transferOf(4, { quotedAt: START + 3 }))
      yield* transfers.move(transferOf(3, {}).id, { to: "pending", at: START + 4 })
      const found = (filter: Parameters<typeof listings.page>[1]) =>
        Effect.map(listings.page(mine, filter, undefined, 50), (page) => page.map(({ id }) => Number(id)))
      assert.deepStrictEqual(yield* found({}), [3, 2, 1])
      assert.deepStrictEqual(yield* found({ sponsored: true }), [2])
      assert.deepStrictEqual(yield* found({ sponsored: false }), [3, 1])
      assert.deepStrictEqual(yield* found({ status: "pending" }), [3])
      assert.deepStrictEqual(yield* found({ users: [alice] }), [3])
      assert.deepStrictEqual(yield* found({ users: [alice], status: "waiting" }), [])
      assert.deepStrictEqual((yield* listings.page(other, {}, undefined, 50)).length, 0)
    })
  )

  test(
    "has daily sums that add up to the total, counting what was captured and not what was released",
    Effect.gen(function*() {
      const transfers = yield* Transfers
      const listings = yield* RequestListings
      const ledger = yield* Ledger
      yield* withKeys
      const wallet = Address.make(`0x${"b2".repeat(20)}`)
      const currency = { chainId: ChainId.make(1), address: CurrencyAddress.make(`0x${"c3".repeat(20)}`) }
      const post = (made: ReturnType<typeof Movements.credit>) => ledger.post(Result.getOrThrow(made), 1)
      yield* post(Movements.credit({ id: LedgerId.make("credit:1"), currency, wallet, units: 10n ** 17n }))
      // The total is beyond 2^53, so that a sum in floating point is detected.
      const spent = [3n, 2n ** 54n + 1n, 0n, 5n]
      for (const [index, captured] of spent.entries()) {
        const transfer = sponsoredTransfer(100 + index, {
          apiKeyId: index === 3 ? other : mine,
          quotedAt: START + index * DAY_MS + 5
        })
        yield* transfers.add(transfer)
        const movement = (kind: "hold" | "capture") => sponsorMovementId(kind, transfer.id, 1)
        const hold = { currency, wallet, request: transfer.id, held: captured + 7n }
        yield* post(Movements.hold({ ...hold, id: movement("hold") }))
        yield* post(Movements.capture({ ...hold, id: movement("capture"), captured }))
      }
      yield* transfers.move(transferOf(100, {}).id, { to: "pending", at: START })
      yield* transfers.add(transferOf(200, { apiKeyId: mine, quotedAt: START + 5 }))
      const first = START / DAY_MS
      const counts = yield* listings.countDays(mine, first, first + 2)
      assert.deepStrictEqual(
        counts.requests.map(({ day, requests, sponsoredRequests, status }) => [
          day - first,
          status,
          requests,
          sponsoredRequests
        ]),
        [
          [0, "pending", 1, 1],
          [0, "waiting", 1, 0],
          [1, "waiting", 1, 1],
          [2, "waiting", 1, 1]
        ]
      )
      assert.deepStrictEqual(
        counts.captured.map(({ captured, day }) => [day - first, captured]),
        [[0, 3n], [1, 2n ** 54n + 1n]].map(([day, captured]) => [day, MicroUsdc(BigInt(captured ?? 0))])
      )
      const whole = summarise("day", counts)
      assert.strictEqual(whole.total.captured, MicroUsdc(2n ** 54n + 4n))
      assert.strictEqual(whole.periods.reduce((sum, { captured }) => sum + captured, 0n), whole.total.captured)
      const edges = yield* Effect.all([
        listings.countDays(mine, first, first),
        listings.countDays(mine, first + 1, first + 2)
      ])
      const both = {
        requests: edges.flatMap(({ requests }) => requests),
        captured: edges.flatMap(({ captured }) => captured)
      }
      assert.deepStrictEqual(summarise("day", both), whole, "ranges side by side leave nothing out")
      assert.deepStrictEqual(yield* listings.countDays(mine, first - 5, first - 1), { requests: [], captured: [] })
    })
  )

  testOnTables(
    "counts by day and state what counting the requests themselves gives, after any writes, also ones taken back",
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const transfers = yield* Transfers
      const listings = yield* RequestListings
      yield* withKeys
      const first = START / DAY_MS
      const counted = (key: ApiKeyId) =>
        sql`SELECT quoted_at / ${
          sql.literal(`${DAY_MS}`)
        } AS day, status, COUNT(*) AS requests, SUM(sponsored) AS sponsored
            FROM transfers WHERE api_key_id = ${key} GROUP BY 1, 2 ORDER BY 1, 2`
      const draw = draws(7)
      let made = 0
      const add = Effect.suspend(() => {
        made += 1
        const from = { quotedAt: START + draw(3) * DAY_MS + draw(1_000) }
        const key = draw(5)
        return transfers.add(
          (draw(2) === 0 ? transferOf : sponsoredTransfer)(
            made,
            key === 0 ? from : { ...from, apiKeyId: key === 1 ? other : mine }
          )
        )
      })
      const move = Effect.suspend(() =>
        transfers.move(transferOf(1 + draw(made), {}).id, {
          to: (["depositing", "pending", "success", "refund"] as const)[draw(4)] ?? "pending",
          at: START
        })
      )
      const remove = Effect.suspend(() => {
        const { id } = transferOf(1 + draw(made), {})
        return sql`DELETE FROM transfer_events WHERE transfer_id = ${id}`.pipe(
          Effect.andThen(sql`DELETE FROM transfers WHERE id = ${id}`)
        )
      })
      const takenBack = Effect.ignore(sql.withTransaction(Effect.andThen(Effect.all([add, move]), Effect.fail("back"))))
      for (let turn = 0; turn < 120; turn += 1) {
        yield* [add, add, move, move, remove, takenBack][made === 0 ? 0 : draw(6)] ?? add
        if (turn % 10 !== 9) continue
        for (const key of [mine, other]) {
          const { requests } = yield* listings.countDays(key, first, first + 2)
          assert.deepStrictEqual(
            requests.map(({ day, requests, sponsoredRequests, status }) => [day, status, requests, sponsoredRequests]),
            (yield* counted(key)).map(({ day, requests, sponsored, status }) => [
              Number(day),
              status,
              Number(requests),
              Number(sponsored)
            ])
          )
        }
      }
    })
  )

  if (engineName === "postgres") {
    testOnTables(
      "no request of a key waits for another one's transaction to be counted",
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const transfers = yield* Transfers
        const listings = yield* RequestListings
        yield* withKeys
        const day = START / DAY_MS
        const add = (made: number) => transfers.add(transferOf(made, { apiKeyId: mine, quotedAt: START }))
        const move = (made: number) => transfers.move(transferOf(made, {}).id, { to: "pending", at: START })
        yield* add(1)
        yield* add(2)
        // Both write the counts of the same states, in two orders: each would wait for the other.
        const isMoved = yield* Latch.make()
        const beside = yield* Effect.forkChild(
          isMoved.await.pipe(Effect.andThen(add(3)), Effect.andThen(move(2)))
        )
        yield* sql.withTransaction(
          move(1).pipe(
            Effect.andThen(isMoved.open),
            Effect.andThen(Fiber.join(beside)),
            Effect.andThen(add(4))
          )
        )
        const { requests } = yield* listings.countDays(mine, day, day)
        assert.deepStrictEqual(requests.map(({ requests, status }) => [status, requests]), [
          ["pending", 2],
          ["waiting", 2]
        ])
      })
    )
  }

  testOnTables(
    "reads pages and sums by an index, never by a full scan",
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      // PostgreSQL reads an empty table in full because that is cheapest; the test is whether it has to.
      if (engineName === "postgres") yield* sql`SET LOCAL enable_seqscan = off`
      // It does not distinguish indexes of an empty table either, so only those of listings are left to choose from.
      if (engineName === "postgres") yield* sql`DROP INDEX transfers_unpaid`
      const explain = (query: string) =>
        Effect.map(
          sql.unsafe(`EXPLAIN ${engineName === "sqlite" ? "QUERY PLAN " : ""}${query}`),
          (rows) => rows.map((row) => Object.values(row).join(" ")).join("\n")
        )
      const page = (filter: string) =>
        `SELECT * FROM transfers WHERE api_key_id = 'k' ${filter} AND (quoted_at, id) < (5, 'x') ORDER BY quoted_at DESC, id DESC LIMIT 20`
      for (
        const [filter, index] of [
          ["", "transfers_by_key"],
          ["AND status = 'waiting'", "transfers_by_key_status"],
          ["AND user_account IN ('u')", "transfers_by_key_user"],
          ["AND sponsored = 1", "transfers_by_key_sponsored"]
        ] as const
      ) {
        const plan = yield* explain(page(filter))
        assert.include(plan, `${index} `, plan)
        assert.notMatch(plan, /Seq Scan|SCAN transfers|TEMP B-TREE|Sort/u, plan)
      }
      const counts = yield* explain(
        "SELECT SUM(requests) FROM request_counts WHERE api_key_id = 'k' AND day >= 1 AND day <= 2"
      )
      assert.notMatch(counts, /Seq Scan|SCAN/u, counts)
    }).pipe(sqlOnOneConnection)
  )
})

/** One connection, so that a session's setting applies to the statements after it. */
const sqlOnOneConnection = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect))
