import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { ApiKeyId, apiKeyHash } from "../../../src/domain/api-key/ApiKey.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { describeStores } from "../testing/stores.ts"

describeStores(({ test, testOnTables }) => {
  test(
    "stores keys by their hashes, and finds them until they are revoked",
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const plain = { id: ApiKeyId.make("key-1"), label: "a page" }
      const linked = {
        id: ApiKeyId.make("key-2"),
        label: "",
        wallet: Address.make(`0x${"a1".repeat(20)}`),
        defaultCap: MicroUsdc(2n ** 60n)
      }
      yield* keys.add(plain, apiKeyHash("one"), 1)
      yield* keys.add(linked, apiKeyHash("two"), 2)
      assert.deepStrictEqual(yield* keys.find(apiKeyHash("one")), plain)
      assert.deepStrictEqual(yield* keys.find(apiKeyHash("two")), linked)
      assert.isUndefined(yield* keys.find(apiKeyHash("three")))
      assert.strictEqual(
        (yield* Effect.flip(keys.add({ ...plain, id: ApiKeyId.make("key-3") }, apiKeyHash("one"), 3)))._tag,
        "StoreUnavailable"
      )
      assert.strictEqual(yield* keys.revoke(plain.id, 4), 4)
      assert.isUndefined(yield* keys.find(apiKeyHash("one")))
      assert.strictEqual(yield* keys.revoke(plain.id, 5), 4)
      assert.isUndefined(yield* keys.revoke(ApiKeyId.make("key-3"), 5))
      assert.deepStrictEqual(yield* keys.all, [
        { key: plain, createdAt: 1, revokedAt: 4, rotatingUntil: undefined },
        { key: linked, createdAt: 2, revokedAt: undefined, rotatingUntil: undefined }
      ])
    })
  )

  testOnTables(
    "writes no text of a key",
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* (yield* ApiKeys).add({ id: ApiKeyId.make("key-1"), label: "a page" }, apiKeyHash("one"), 1)
      const kept = (yield* sql`SELECT * FROM api_keys`).flatMap((row) => Object.values(row).map(String))
      assert.isFalse(kept.some((value) => value.includes("one")))
    })
  )

  test(
    "finds a rotated key by both texts until the overlap ends, and by no third one",
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const key = { id: ApiKeyId.make("key-1"), label: "a page" }
      const found = (...texts: ReadonlyArray<string>) =>
        Effect.forEach(texts, (text) => Effect.map(keys.find(apiKeyHash(text)), (known) => known !== undefined))
      yield* keys.add(key, apiKeyHash("one"), 0)
      assert.isTrue(yield* keys.rotate(key.id, apiKeyHash("two"), 1_000))
      assert.deepStrictEqual(yield* found("one", "two"), [true, true])
      yield* TestClock.adjust(999)
      assert.deepStrictEqual(yield* found("one", "two"), [true, true])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* found("one", "two"), [false, true])
      yield* keys.rotate(key.id, apiKeyHash("three"), 9_000)
      yield* keys.rotate(key.id, apiKeyHash("four"), 9_000)
      assert.deepStrictEqual(yield* found("one", "two", "three", "four"), [false, false, true, true])
      assert.deepStrictEqual((yield* keys.all)[0]?.rotatingUntil, 9_000)
      yield* keys.revoke(key.id, 2_000)
      assert.deepStrictEqual(yield* found("three", "four"), [false, false])
      assert.isFalse(yield* keys.rotate(key.id, apiKeyHash("five"), 9_000))
      assert.deepStrictEqual(yield* found("five"), [false])
      assert.isFalse(yield* keys.rotate(ApiKeyId.make("key-2"), apiKeyHash("six"), 9_000))
    }).pipe(Effect.provide(TestClock.layer()))
  )

  test(
    "lists the keys that a wallet owns or pays for, oldest first, and nobody else's",
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const [a, b] = [Address.make(`0x${"a1".repeat(20)}`), Address.make(`0x${"b2".repeat(20)}`)]
      const add = (id: string, parts: object, at: number) =>
        keys.add({ id: ApiKeyId.make(id), label: id, ...parts }, apiKeyHash(id), at)
      yield* add("key-1", { owner: a, wallet: b }, 1)
      yield* add("key-3", { owner: a }, 3)
      yield* add("key-2", { wallet: a }, 2)
      yield* add("key-4", {}, 4)
      yield* keys.revoke(ApiKeyId.make("key-3"), 5)
      const of = (wallet: Address) =>
        Effect.map(keys.ofWallet(wallet), (all) => all.map(({ key: { id, owner } }) => `${id} ${owner ?? "nobody"}`))
      assert.deepStrictEqual(yield* of(a), [`key-1 ${a}`, "key-2 nobody", `key-3 ${a}`])
      assert.deepStrictEqual(yield* of(b), [`key-1 ${a}`])
      assert.deepStrictEqual((yield* keys.find(apiKeyHash("key-1")))?.owner, a)
      yield* keys.unlink(ApiKeyId.make("key-2"))
      assert.deepStrictEqual(yield* of(a), [`key-1 ${a}`, `key-3 ${a}`])
    })
  )

  test(
    "links a key to one wallet, and unlinks by key, by wallet, or by both",
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const [a, b] = [Address.make(`0x${"a1".repeat(20)}`), Address.make(`0x${"b2".repeat(20)}`)]
      const ids = ["key-1", "key-2", "key-3"].map((id) => ApiKeyId.make(id))
      const [one = ApiKeyId.make("none"), two = one, three = one] = ids
      for (const id of ids) yield* keys.add({ id, label: id }, apiKeyHash(id), 1)
      const wallets = Effect.map(keys.all, (all) => all.map(({ key }) => key.wallet))
      assert.deepStrictEqual(yield* keys.link(one, b), { id: one, label: "key-1", wallet: b })
      for (const id of ids) yield* keys.link(id, a)
      assert.deepStrictEqual(yield* wallets, [a, a, a])
      assert.deepStrictEqual(yield* keys.unlinkWallet(b, undefined), [])
      assert.deepStrictEqual(yield* keys.unlinkWallet(a, two), [two])
      assert.deepStrictEqual(yield* wallets, [a, undefined, a])
      yield* keys.unlink(one)
      yield* keys.unlink(one)
      assert.deepStrictEqual(yield* wallets, [undefined, undefined, a])
      yield* keys.link(two, a)
      assert.deepStrictEqual(yield* keys.unlinkWallet(a, undefined), [two, three])
      yield* keys.revoke(one, 2)
      assert.isUndefined(yield* keys.link(one, a))
      assert.deepStrictEqual(yield* wallets, [undefined, undefined, undefined])
    })
  )
})
