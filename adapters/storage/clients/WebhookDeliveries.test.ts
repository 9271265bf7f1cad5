/**
 * Webhooks and their deliveries on both engines: none lost, none claimed twice, each request's in order, each threshold
 * crossing once.
 */
import { assert } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { WebhookDeliveries } from "../../../ports/store/clients/WebhookDeliveries.ts"
import type { ClaimedDelivery, ConcludedTry } from "../../../ports/store/clients/WebhookDeliveries.ts"
import { Webhooks } from "../../../ports/store/clients/Webhooks.ts"
import { ApiKeyId, apiKeyHash } from "../../../src/domain/api-key/ApiKey.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import * as Movements from "../../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../../src/domain/ledger/Transaction.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import { WebhookId } from "../../../src/domain/webhook/Webhook.ts"
import { describeStores } from "../testing/stores.ts"
import { transferOf } from "../testing/Transfers.ts"

const mine = ApiKeyId.make("mine")
const other = ApiKeyId.make("other")
const wallet = Address.make(`0x${"b2".repeat(20)}`)
const webhookId = (n: number) => WebhookId.make(`wh_${n.toString(16).padStart(24, "0")}`)
const LONG_AGO = 1_000

describeStores(({ name, test, testOnTables }) => {
  const begin = Effect.gen(function*() {
    const keys = yield* ApiKeys
    yield* keys.add({ id: mine, label: "", wallet }, apiKeyHash(mine), 1)
    yield* keys.add({ id: other, label: "" }, apiKeyHash(other), 1)
  })
  const subscribe = Effect.fnUntraced(function*(n: number, key: ApiKeyId, lowBalance?: bigint) {
    const webhooks = yield* Webhooks
    const low = lowBalance === undefined ? {} : { lowBalance: MicroUsdc(lowBalance) }
    return yield* webhooks.add(
      { id: webhookId(n), apiKeyId: key, url: `https://${n}.example/`, createdAt: n, ...low },
      Redacted.make(`secret-${n}`),
      3
    )
  })
  const moved = Effect.fnUntraced(function*(n: number, key: ApiKeyId | undefined, ...path: ReadonlyArray<Status>) {
    const transfers = yield* Transfers
    yield* transfers.add(transferOf(n, key === undefined ? {} : { apiKeyId: key }))
    for (const [index, to] of path.entries()) yield* transfers.move(transferOf(n, {}).id, { to, at: LONG_AGO + index })
  })
  const taken = (at: number): ConcludedTry => ({
    at,
    latency: 5,
    outcome: { _tag: "Answered", status: 200 },
    body: "{}",
    next: "delivered"
  })
  const told = ({ fact, sequence, webhookId: webhook }: ClaimedDelivery) =>
    `${webhook.at(-1)} ${
      fact._tag === "RequestUpdated" ? `${Number(fact.request)} ${fact.status}` : "balance"
    } ${sequence}`

  test(
    "records each change of a key's request for each of its webhooks, and nothing for a refused move",
    Effect.gen(function*() {
      const deliveries = yield* WebhookDeliveries
      yield* begin
      for (const [n, key] of [[1, mine], [2, mine], [3, other]] as const) assert.isTrue(yield* subscribe(n, key))
      yield* moved(10, mine, "pending", "waiting", "submitted")
      yield* moved(11, other, "failure")
      yield* moved(12, undefined, "pending")
      const log = yield* deliveries.page(mine, undefined, 50)
      assert.deepStrictEqual(log.map(({ eventId, sequence, webhookId: webhook }) => [webhook, sequence, eventId]), [
        [webhookId(2), 2, `${transferOf(10, {}).id}.2`],
        [webhookId(1), 2, `${transferOf(10, {}).id}.2`],
        [webhookId(2), 1, `${transferOf(10, {}).id}.1`],
        [webhookId(1), 1, `${transferOf(10, {}).id}.1`]
      ])
      assert.strictEqual((yield* deliveries.page(other, undefined, 50)).length, 1)
      const last = log[1]
      assert.deepStrictEqual(
        yield* deliveries.page(mine, { at: last?.createdAt ?? 0, id: last?.id ?? "" }, 1),
        log.slice(2, 3)
      )
    })
  )

  testOnTables(
    "rolls back a change together with its deliveries",
    Effect.gen(function*() {
      const deliveries = yield* WebhookDeliveries
      const transfers = yield* Transfers
      const sql = yield* SqlClient.SqlClient
      yield* begin
      yield* subscribe(1, mine)
      yield* moved(10, mine)
      // The delivery of this change exists already, so that writing it fails.
      yield* sql`INSERT INTO webhook_deliveries (id, api_key_id, webhook_id, event_id, queue, sequence, fact, at, state, tries, due_at, leased_until, created_at)
        VALUES (${`${webhookId(1)}.${transferOf(10, {}).id}.1`}, 'mine', ${
        webhookId(1)
      }, 'x', 'x', 1, '{}', 1, 'failed', 0, 1, 0, 1)`
      yield* Effect.flip(transfers.move(transferOf(10, {}).id, { to: "pending", at: LONG_AGO }))
      assert.strictEqual((yield* transfers.find(transferOf(10, {}).id))?.status, "waiting")
      yield* sql`DELETE FROM webhook_deliveries`
      yield* transfers.move(transferOf(10, {}).id, { to: "pending", at: LONG_AGO })
      assert.strictEqual((yield* deliveries.page(mine, undefined, 50)).length, 1)
    })
  )

  test(
    "is claimed by one worker at a time, a request's changes one after the other",
    Effect.gen(function*() {
      const deliveries = yield* WebhookDeliveries
      yield* begin
      yield* subscribe(1, mine)
      yield* subscribe(2, mine)
      for (const n of [10, 11, 12]) yield* moved(n, mine, "pending", "submitted", "success")
      const now = 5_000
      const round = (at: number) =>
        Effect.map(
          Effect.all(Array.from({ length: 6 }, () => deliveries.claim(at, at + 100, 3, [])), {
            concurrency: "unbounded"
          }),
          (claims) => claims.flat()
        )
      const first = yield* round(now)
      assert.strictEqual(new Set(first.map(({ id }) => id)).size, first.length, "none twice")
      assert.isTrue(first.every(({ sequence }) => sequence === 1))
      // A worker that lost a race claims again. Then every request's first change is claimed, and no second one.
      const all = [...first, ...(yield* round(now)), ...(yield* round(now))]
      assert.deepStrictEqual(all.map(told).toSorted(), [
        "1 10 pending 1",
        "1 11 pending 1",
        "1 12 pending 1",
        "2 10 pending 1",
        "2 11 pending 1",
        "2 12 pending 1"
      ])
      assert.deepStrictEqual(yield* deliveries.claim(now, now + 100, 9, []), [])
      assert.strictEqual(yield* deliveries.nextDue(now + 99, []), undefined)
      assert.strictEqual(yield* deliveries.nextDue(now + 100, [webhookId(1)]), now + 100, "when the claims expire")
      assert.strictEqual(yield* deliveries.nextDue(now + 100, [webhookId(1), webhookId(2)]), undefined)

      const [one] = all.filter(({ webhookId: webhook }) => webhook === webhookId(1))
      if (one === undefined) return assert.fail("nothing claimed")
      assert.deepStrictEqual([one.url, one.secrets?.map(Redacted.value), one.tried, one.body], [
        "https://1.example/",
        ["secret-1"],
        0,
        null
      ])
      assert.isTrue(yield* deliveries.conclude(one, taken(now)))
      assert.isAtMost((yield* deliveries.nextDue(now, [])) ?? Infinity, now, "the next of that request")
      assert.deepStrictEqual(
        (yield* deliveries.claim(now, now + 100, 9, [])).map(({ sequence }) => sequence),
        [2],
        "the next of that request alone"
      )
      assert.isFalse(yield* deliveries.conclude(one, taken(now)), "its claim is no more")

      // The claims expire, another worker takes them, and the first worker's late conclusion is ignored.
      const again = yield* Effect.map(
        deliveries.claim(now + 100, now + 300, 99, [webhookId(1)]),
        (claims) => claims.map(told)
      )
      assert.deepStrictEqual(
        again.toSorted(),
        ["2 10 pending 1", "2 11 pending 1", "2 12 pending 1"],
        "none of a busy webhook"
      )
      const late = all.find(({ webhookId: webhook }) => webhook === webhookId(2))
      if (late !== undefined) assert.isFalse(yield* deliveries.conclude(late, taken(now)))
    })
  )

  test(
    "is retried when it is due, with the same body, and given up so that the next can follow",
    Effect.gen(function*() {
      const deliveries = yield* WebhookDeliveries
      const claimOne = Effect.fnUntraced(function*(at: number) {
        const [claimed] = yield* deliveries.claim(at, at + 10, 9, [])
        return claimed
      })
      yield* begin
      yield* subscribe(1, mine)
      yield* moved(10, mine, "pending", "submitted")
      const first = yield* claimOne(5_000)
      if (first === undefined) return assert.fail("nothing claimed")
      yield* deliveries.conclude(first, {
        at: 5_000,
        latency: 7,
        outcome: { _tag: "Failed", failure: "timeout" },
        body: "the body",
        next: 6_000
      })
      assert.isUndefined(yield* claimOne(5_999))
      const second = yield* claimOne(6_000)
      if (second === undefined) return assert.fail("nothing claimed")
      assert.deepStrictEqual([second.sequence, second.tried, second.body], [1, 1, "the body"])
      yield* deliveries.conclude(second, {
        at: 6_000,
        latency: 8,
        outcome: { _tag: "Answered", status: 503 },
        body: "the body",
        next: "failed"
      })
      assert.strictEqual((yield* claimOne(6_000))?.sequence, 2)
      const log = yield* deliveries.page(mine, undefined, 50)
      assert.deepStrictEqual(log.map(({ state, tries }) => [state, tries]), [
        ["pending", []],
        ["failed", [
          { at: 5_000, latency: 7, outcome: { _tag: "Failed", failure: "timeout" } },
          { at: 6_000, latency: 8, outcome: { _tag: "Answered", status: 503 } }
        ]]
      ])
      const failed = log[1]
      const replayed = yield* deliveries.replay(mine, failed?.id ?? "", 7_000)
      assert.deepStrictEqual([replayed?.eventId, replayed?.sequence, replayed?.state], [failed?.eventId, 1, "pending"])
      assert.isUndefined(yield* deliveries.replay(other, failed?.id ?? "", 7_000))
      const claims = yield* deliveries.claim(6_005, 7_100, 9, [])
      assert.deepStrictEqual(claims, [], "not before it was asked for")
      const again = (yield* deliveries.claim(7_000, 7_100, 9, [])).find(({ id }) => id === replayed?.id)
      assert.deepStrictEqual([again?.sequence, again?.body], [1, "the body"])
      yield* deliveries.forgetBefore(LONG_AGO + 2)
      assert.deepStrictEqual((yield* deliveries.page(mine, undefined, 50)).map(({ id }) => id), [replayed?.id])
    })
  )

  testOnTables(
    "finds due deliveries by indexes, however many were delivered",
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const plan = yield* sql.withTransaction(Effect.gen(function*() {
        // PostgreSQL reads an empty table in full because that is cheapest; the test is whether it has to.
        if (name === "postgres") yield* sql`SET LOCAL enable_seqscan = off`
        const rows = yield* sql.unsafe(
          `EXPLAIN ${
            name === "sqlite" ? "QUERY PLAN " : ""
          }SELECT d.id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
           JOIN api_keys k ON k.id = w.api_key_id AND k.revoked_at IS NULL
           WHERE d.state = 'pending' AND d.due_at <= 5 AND d.leased_until <= 5
             AND NOT EXISTS (SELECT 1 FROM webhook_deliveries e WHERE e.state = 'pending'
               AND e.webhook_id = d.webhook_id AND e.queue = d.queue AND e.sequence < d.sequence)
           ORDER BY d.due_at LIMIT 64`
        )
        return rows.map((row) => Object.values(row).join(" ")).join("\n")
      }))
      assert.include(plan, "webhook_deliveries_due", plan)
      assert.include(plan, "webhook_deliveries_in_order", plan)
      assert.notMatch(plan, /Seq Scan|SCAN/u, plan)
    })
  )

  test(
    "has nothing for a revoked key or a removed webhook; its secrets rotate",
    Effect.gen(function*() {
      const deliveries = yield* WebhookDeliveries
      const webhooks = yield* Webhooks
      yield* begin
      for (const n of [1, 2, 3]) yield* subscribe(n, mine)
      assert.isFalse(yield* subscribe(4, mine), "no more than it may have")
      yield* moved(10, mine, "pending")
      assert.isFalse(yield* webhooks.remove(other, webhookId(1)))
      assert.isTrue(yield* webhooks.remove(mine, webhookId(1)))
      assert.isUndefined(yield* webhooks.rotate(other, webhookId(2), Redacted.make("theirs"), 6_000))
      assert.strictEqual(
        (yield* webhooks.rotate(mine, webhookId(2), Redacted.make("newer"), 6_000))?.previousUntil,
        6_000
      )
      const secretsAt = Effect.fnUntraced(function*(at: number) {
        const claims = yield* deliveries.claim(at, at + 1, 9, [])
        return claims.map(({ secrets }) => (secrets ?? []).map(Redacted.value).join()).toSorted()
      })
      assert.deepStrictEqual(yield* secretsAt(5_998), ["newer,secret-2", "secret-3"])
      assert.deepStrictEqual(yield* secretsAt(6_000), ["newer", "secret-3"])
      assert.notInclude(JSON.stringify(yield* webhooks.ofKey(mine)), "secret")
      yield* (yield* ApiKeys).revoke(mine, 1)
      assert.deepStrictEqual(yield* deliveries.claim(9_000, 9_001, 9, []), [])
      yield* moved(11, mine, "pending")
      assert.strictEqual((yield* deliveries.page(mine, undefined, 50)).length, 2)
    })
  )

  test(
    "reports a low balance once for each crossing, to the webhooks whose threshold was crossed",
    Effect.gen(function*() {
      const deliveries = yield* WebhookDeliveries
      const ledger = yield* Ledger
      yield* begin
      yield* subscribe(1, mine, 100n)
      yield* subscribe(2, mine, 50n)
      yield* subscribe(3, other, 100n)
      const currency = { chainId: ChainId.make(1), address: CurrencyAddress.make(`0x${"c3".repeat(20)}`) }
      let movement = 0
      const change = Effect.fnUntraced(function*(units: bigint) {
        movement += 1
        const id = LedgerId.make(`m:${movement}`)
        const made = units > 0n
          ? Movements.credit({ id, currency, wallet, units })
          : Movements.withdraw({
            id,
            currency,
            wallet,
            units: -units,
            payout: Hex32.make(`0x${movement.toString(16).padStart(64, "0")}`)
          })
        yield* ledger.post(Result.getOrThrow(made), LONG_AGO + movement)
        yield* ledger.post(Result.getOrThrow(made), LONG_AGO + movement)
      })
      // Balances: 0, 150, 100, 99, 60, 40, 10, 200, 20. One of two concurrent changes is refused by the ledger.
      for (const units of [150n, -50n, -1n, -39n, -20n, -30n, 190n, -180n]) yield* change(units)
      yield* Effect.flip(change(-(10n ** 30n)))
      const log = (yield* deliveries.page(mine, undefined, 50)).map((
        { fact, sequence, webhookId: webhook }
      ) => [
        Number(webhook.at(-1)),
        sequence,
        fact._tag === "BalanceLow" ? [Number(fact.available), Number(fact.threshold)] : fact
      ])
      assert.deepStrictEqual(log.toReversed(), [
        [1, 1, [99, 100]],
        [2, 1, [40, 50]],
        [1, 2, [20, 100]],
        [2, 2, [20, 50]]
      ])
      assert.deepStrictEqual(yield* deliveries.page(other, undefined, 50), [], "another's wallet")
      assert.deepStrictEqual((yield* deliveries.claim(5_000, 5_001, 9, [])).map(told).toSorted(), [
        "1 balance 1",
        "2 balance 1"
      ])
    })
  )
})
