import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Logger } from "effect"
import type { Cursor } from "../../../../ports/chain/DepositWatcher.ts"
import { FinalBlocks } from "../../../../ports/store/operations/FinalBlocks.ts"
import { DepositAddresses } from "../../../../ports/store/orders/DepositAddresses.ts"
import { UnpaidAddresses } from "../../../../ports/store/operations/UnpaidAddresses.ts"
import { OrderId } from "../../../domain/order/Order.ts"
import { pauseId } from "../../../domain/pause/Pause.ts"
import type { PauseScope } from "../../../domain/pause/Pause.ts"
import { depositOf, transferOf } from "../../../domain/permit/testing/PermitTransfers.ts"
import { alpha } from "../../../domain/quote/testing/Chains.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { dying, ports } from "../../hub/testing/Stubs.ts"
import { lookAgain } from "./LookAgain.ts"

const block = (height: bigint, fork = "a"): Cursor => ({ height, hash: `0x${height}${fork}` })
const halt: PauseScope = { _tag: "Halt", chainId: alpha.id, height: 1n, expected: "0x1", found: "0x2" }

/**
 * A chain up to block 9, final up to 8, scanned up to 9 and looked at again up to 5. `shown`: by several
 * endpoints, and hidden by one. `there`: as the quorum shows it.
 */
const chain = (shown: ReadonlyArray<Deposit>, there = shown) => {
  const world = {
    final: block(8n),
    scanned: block(9n),
    again: block(5n),
    ends: block(8n),
    isHalted: false,
    looks: 0,
    recorded: [] as Array<string>
  }
  const layer = Layer.mergeAll(
    ports({
      deposits: {
        cursor: () => Effect.sync(() => world.scanned),
        finalCursor: () => Effect.sync(() => world.again),
        recordFinal: (_, cursor, named) =>
          Effect.sync(() => {
            world.again = cursor
            world.recorded.push(...named.map(({ deposit }) => deposit.onchainId))
            return named.map(({ deposit }) => ({ deposit, sighting: 1 }))
          })
      },
      transfers: {
        known: (orders) => Effect.succeed(new Map(orders.map((order) => [order, transferOf().terms])))
      },
      pauses: {
        recent: Effect.sync(() => world.isHalted ? [{ id: pauseId(halt), scope: halt, reason: "", createdAt: 0 }] : [])
      },
      watcher: {
        scanFinal: () =>
          Effect.sync(() => {
            world.looks += 1
            return {
              cursor: world.ends,
              deposits: shown,
              notShownBy: new Map(shown.map(({ onchainId }) => [onchainId, ["hides.example"]]))
            }
          }),
        standing: (_, deposit, by) =>
          Effect.sync(() => {
            assert.strictEqual(by, "quorum")
            return there.includes(deposit)
              ? { _tag: "Included", block: deposit.block, confirmations: 9, final: true, deposits: [deposit] }
              : { _tag: "Gone" }
          })
      }
    }),
    Layer.succeed(FinalBlocks, dying<FinalBlocks["Service"]>({ find: () => Effect.sync(() => world.final) })),
    Layer.succeed(DepositAddresses, dying<DepositAddresses["Service"]>({ among: () => Effect.succeed([]) })),
    Layer.succeed(UnpaidAddresses, dying<UnpaidAddresses["Service"]>({}))
  )
  return { world, look: Effect.map(Effect.provide(lookAgain(alpha), layer), Duration.toMillis) }
}

describe("a second reading of final blocks", () => {
  const deposit = depositOf({ depositId: OrderId.make(`0x${"1".repeat(64)}`) })

  it.effect("records what several endpoints show up to the final block, and rests until more is final", () =>
    Effect.gen(function*() {
      const { look, world } = chain([deposit])
      const rest = yield* look
      assert.deepStrictEqual([world.again, world.recorded], [block(8n), [deposit.onchainId]])
      assert.strictEqual(yield* look, rest)
      assert.strictEqual(world.looks, 1)
    }))

  it.effect("names the host that hides a deposit that the quorum shows, and none when another host invents one", () =>
    Effect.gen(function*() {
      const logged: Array<string> = []
      const heard = Layer.mergeAll(
        Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      )
      yield* Effect.provide(chain([deposit]).look, heard)
      yield* Effect.provide(chain([deposit], []).look, heard)
      assert.deepStrictEqual(logged.map((line) => line.includes("hides.example")), [true, false])
    }))

  it.effect("continues soon when a reading ends early, and waits for a scan that is behind", () =>
    Effect.gen(function*() {
      const { look, world } = chain([])
      world.ends = block(6n)
      const soon = yield* look
      assert.deepStrictEqual(world.again, block(6n))
      world.ends = block(8n)
      assert.isAbove(yield* look, soon)
      world.final = block(10n)
      assert.strictEqual(yield* look, soon)
      assert.strictEqual(world.looks, 2)
    }))

  it.effect("starts at the same height again once another block is final there, and not while the chain is halted", () =>
    Effect.gen(function*() {
      const { look, world } = chain([])
      yield* look
      world.isHalted = true
      world.final = block(8n, "b")
      world.ends = world.final
      yield* look
      assert.strictEqual(world.looks, 1)
      world.isHalted = false
      yield* look
      assert.deepStrictEqual([world.looks, world.again], [2, block(8n, "b")])
    }))
})
