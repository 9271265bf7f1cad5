/** What must be known of a chain before the order of a further deposit is decided. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Payments, PaymentsHeld } from "../../../ports/store/orders/Payments.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { polledFollowers } from "../following/testing/PolledFollowers.ts"
import { waitUntilSeen } from "./WaitUntilSeen.ts"

const chain = { id: 1, slug: "one", blockTimeMs: 1_000 } as Chain

const seen = (cursor: () => bigint | undefined, held: () => boolean) =>
  waitUntilSeen(chain).pipe(Effect.provide(Layer.mergeAll(
    polledFollowers,
    Layer.mock(Payments, {
      refuseHeld: () => held() ? Effect.fail(new PaymentsHeld({ chain: chain.slug })) : Effect.void
    }),
    Layer.mock(DepositWatcher, { head: () => Effect.succeed({ height: 7n, hash: "0x07", time: 0 }) }),
    Layer.mock(Deposits, {
      cursor: () =>
        Effect.sync(() => {
          const height = cursor()
          return height === undefined ? undefined : { height, hash: "0x" }
        })
    })
  )))

describe("money that arrived on a chain", () => {
  it.effect("is seen once the scan has reached the current head", () =>
    Effect.gen(function*() {
      let height: bigint | undefined
      const waiting = yield* Effect.forkChild(seen(() => height, () => false))
      for (const each of [undefined, 0n, 6n]) {
        height = each
        yield* TestClock.adjust("1 minute")
        assert.isUndefined(waiting.pollUnsafe(), `${each}`)
      }
      height = 7n
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
    }))

  it.effect("is not known while a restored store does not know past payments", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(seen(() => 7n, () => true)))._tag, "PaymentsHeld")
    }))
})
