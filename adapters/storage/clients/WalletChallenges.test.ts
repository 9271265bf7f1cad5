import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { WalletChallenges } from "../../../ports/store/clients/WalletChallenges.ts"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { WalletChallenge } from "../../../src/domain/api-key/WalletChallenge.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { describeStores } from "../testing/stores.ts"

const wallet = Address.make(`0x${"a1".repeat(20)}`)
const key = ApiKeyId.make("key-1")

describeStores(({ test, testOnTables }) => {
  test(
    "stores challenges, and gives each to one caller, once, before it expires",
    Effect.gen(function*() {
      const challenges = yield* WalletChallenges
      const made: ReadonlyArray<WalletChallenge> = [
        { nonce: "one", purpose: { _tag: "Link", key }, wallet, issuedAt: 1, expiresAt: 1_000 },
        { nonce: "two", purpose: { _tag: "Unlink", key }, wallet, issuedAt: 2, expiresAt: 1_000 },
        { nonce: "three", purpose: { _tag: "Unlink", key: undefined }, wallet, issuedAt: 3, expiresAt: 1_000 },
        { nonce: "five", purpose: { _tag: "SignIn", key: undefined }, wallet, issuedAt: 3, expiresAt: 1_000 }
      ]
      for (const challenge of made) yield* challenges.add(challenge)
      for (const challenge of made) {
        assert.deepStrictEqual(yield* challenges.find(challenge.nonce), { challenge, isUsed: false })
      }
      assert.isUndefined(yield* challenges.find("four"))
      const uses = yield* Effect.all(Array.from({ length: 16 }, () => challenges.use("one", 5)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(uses.filter((used) => used).length, 1)
      assert.deepStrictEqual(yield* challenges.find("one"), { challenge: made[0], isUsed: true })
      assert.isFalse(yield* challenges.use("two", 1_000))
      assert.isTrue(yield* challenges.use("two", 999))
      assert.isFalse(yield* challenges.use("four", 5))
    })
  )

  testOnTables(
    "deletes challenges an hour after they have expired",
    Effect.gen(function*() {
      const challenges = yield* WalletChallenges
      const sql = yield* SqlClient.SqlClient
      for (const nonce of ["one", "two", "three"]) {
        yield* challenges.add({ nonce, purpose: { _tag: "Link", key }, wallet, issuedAt: 1, expiresAt: 1_000 })
      }
      yield* challenges.add({
        nonce: "five",
        purpose: { _tag: "Link", key },
        wallet,
        issuedAt: 3_601_000,
        expiresAt: 4_000_000
      })
      assert.strictEqual((yield* sql`SELECT nonce FROM wallet_challenges`).length, 4)
      yield* challenges.add({
        nonce: "six",
        purpose: { _tag: "Link", key },
        wallet,
        issuedAt: 3_601_001,
        expiresAt: 4_000_000
      })
      assert.deepStrictEqual(
        (yield* sql`SELECT nonce FROM wallet_challenges ORDER BY nonce`).map(({ nonce }) => nonce),
        ["five", "six"]
      )
    })
  )
})
