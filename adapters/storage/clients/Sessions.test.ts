import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Sessions } from "../../../ports/store/clients/Sessions.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { hex32FromDigest } from "../../../src/domain/encoding/Hex.ts"
import type { Session } from "../../../src/domain/session/Session.ts"
import { describeStores } from "../testing/stores.ts"

const hash = (n: number) => hex32FromDigest(new Uint8Array(32).fill(n))
const wallet = (n: string) => ({ _tag: "Wallet" as const, wallet: Address.make(`0x${n.repeat(20)}`) })

describeStores(({ test }) => {
  test(
    "finds a session until it expires or is ended",
    Effect.gen(function*() {
      const sessions = yield* Sessions
      const operator: Session = { subject: { _tag: "Operator" }, startedAt: 1, expiresAt: 100 }
      const owner: Session = { subject: wallet("a1"), startedAt: 2, expiresAt: 200 }
      yield* sessions.add(hash(1), operator, 5)
      yield* sessions.add(hash(2), owner, 5)
      assert.deepStrictEqual(yield* sessions.find(hash(1), 99), operator)
      assert.deepStrictEqual(yield* sessions.find(hash(2), 199), owner)
      assert.isUndefined(yield* sessions.find(hash(1), 100))
      assert.isUndefined(yield* sessions.find(hash(3), 1))
      yield* sessions.end(hash(2))
      yield* sessions.end(hash(2))
      assert.isUndefined(yield* sessions.find(hash(2), 3))
      assert.deepStrictEqual(yield* sessions.find(hash(1), 3), operator)
    })
  )

  test(
    "keeps the newest of a subject, none of which was expired, and those of others",
    Effect.gen(function*() {
      const sessions = yield* Sessions
      yield* sessions.add(hash(9), { subject: wallet("b2"), startedAt: 1, expiresAt: 1_000 }, 2)
      yield* sessions.add(hash(8), { subject: { _tag: "Operator" }, startedAt: 1, expiresAt: 4 }, 2)
      for (const at of [2, 3, 4, 5]) {
        yield* sessions.add(hash(at), { subject: wallet("a1"), startedAt: at, expiresAt: 1_000 }, 2)
      }
      const left = yield* Effect.filter(
        [2, 3, 4, 5, 9],
        (n) => Effect.map(sessions.find(hash(n), 5), (found) => found !== undefined)
      )
      assert.deepStrictEqual(left, [4, 5, 9])
      // Deleted, not only hidden: it is not found at an earlier time either.
      assert.isUndefined(yield* sessions.find(hash(8), 1))
    })
  )
})
