/** After a restore every deposit of now is recorded, also one that the scanning endpoint hides (QUORUM-8). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Cursor } from "../../../../ports/chain/DepositWatcher.ts"
import { DepositAddresses } from "../../../../ports/store/orders/DepositAddresses.ts"
import { UnpaidAddresses } from "../../../../ports/store/operations/UnpaidAddresses.ts"
import { OrderId } from "../../../domain/order/Order.ts"
import { depositOf, transferOf } from "../../../domain/permit/testing/PermitTransfers.ts"
import { alpha } from "../../../domain/quote/testing/Chains.ts"
import { polledFollowers } from "../../following/testing/PolledFollowers.ts"
import { dying, ports } from "../../hub/testing/Stubs.ts"
import { knowDeposits } from "./KnowDeposits.ts"

const block = (height: bigint): Cursor => ({ height, hash: `0x${height}` })

/** A chain at block 9, looked at again up to 5 before the backup. Several endpoints show a deposit in block 8. */
const chain = () => {
  const hidden = depositOf({ depositId: OrderId.make(`0x${"1".repeat(64)}`) })
  const world = {
    scanned: 9n,
    /** Of the newest block; undefined in an empty slot. */
    hash: block(9n).hash as string | undefined,
    /** Where looks end at first. */
    ends: 9n,
    looks: [] as Array<readonly [from: bigint, to: bigint]>,
    recorded: [] as Array<string>
  }
  const layer = Layer.mergeAll(
    polledFollowers,
    ports({
      deposits: {
        cursor: () => Effect.sync(() => block(world.scanned)),
        finalCursor: () => Effect.succeed(block(5n)),
        note: (named) =>
          Effect.sync(() => {
            world.recorded.push(...named.map(({ deposit }) => deposit.onchainId))
            return named.map(({ deposit }) => ({ deposit, sighting: 1 }))
          })
      },
      transfers: {
        known: (orders) => Effect.succeed(new Map(orders.map((order) => [order, transferOf().terms])))
      },
      watcher: {
        heads: (_, by) => Effect.succeed({ ...block(by === "quorum" ? 9n : 1n), finalHeight: 5n }),
        finality: (_, at) =>
          Effect.sync(() => ({ found: at?.height === 9n ? world.hash : undefined, newest: undefined })),
        scanFinal: (_, from, to) =>
          Effect.sync(() => {
            assert.deepStrictEqual(to, block(9n))
            world.looks.push([from.height, to.height])
            const end = from.height < world.ends ? world.ends : 9n
            return { cursor: block(end), deposits: end >= 8n && from.height < 8n ? [hidden] : [] }
          })
      }
    }),
    Layer.succeed(DepositAddresses, dying<DepositAddresses["Service"]>({ among: () => Effect.succeed([]) })),
    Layer.succeed(UnpaidAddresses, dying<UnpaidAddresses["Service"]>({}))
  )
  return { hidden, world, known: knowDeposits(alpha).pipe(Effect.provide(layer)) }
}

describe("the deposits of a chain after a restore", () => {
  it.effect("are known once the scan has reached the quorum's newest block and several endpoints were asked for the rest", () =>
    Effect.gen(function*() {
      const { hidden, known, world } = chain()
      world.scanned = 8n
      const knowing = yield* Effect.forkChild(known)
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(knowing.pollUnsafe())
      assert.deepStrictEqual(world.looks, [])
      world.scanned = 9n
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(knowing)
      assert.deepStrictEqual([world.looks, world.recorded], [[[5n, 9n]], [hidden.onchainId]])
    }))

  it.effect("are read in as many steps as it takes", () =>
    Effect.gen(function*() {
      const { hidden, known, world } = chain()
      world.ends = 7n
      yield* known
      assert.deepStrictEqual([world.looks, world.recorded], [[[5n, 9n], [7n, 9n]], [hidden.onchainId]])
    }))

  it.effect("are not known while the quorum shows no block at that height", () =>
    Effect.gen(function*() {
      const { known, world } = chain()
      world.hash = undefined
      assert.strictEqual((yield* Effect.flip(known))._tag, "ChainUnavailable")
      assert.deepStrictEqual(world.looks, [])
    }))
})
