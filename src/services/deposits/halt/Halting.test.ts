import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Cursor, FinalityAsked } from "../../../../ports/chain/DepositWatcher.ts"
import { FinalBlocks } from "../../../../ports/store/operations/FinalBlocks.ts"
import { Losses } from "../../../../ports/store/ledger/Losses.ts"
import { PermitSubmissions } from "../../../../ports/store/orders/PermitSubmissions.ts"
import { Sweeps } from "../../../../ports/store/orders/Sweeps.ts"
import { alpha } from "../../../domain/quote/testing/Chains.ts"
import { makeFinalityGuard } from "./Halting.ts"
import { dying, ports, word } from "../../hub/testing/Stubs.ts"

/** A guard over one chain: what its node shows as final, what the store remembers, and how often the store is read. */
const guarded = () => {
  const world = { remembered: undefined as Cursor | undefined, node: block(5n, "a"), reads: 0, halts: 0 }
  const none = Effect.succeed([])
  const finals = dying<FinalBlocks["Service"]>({
    find: () => Effect.sync(() => (world.reads += 1, world.remembered)),
    remember: (_, newest) =>
      Effect.sync(() => {
        world.remembered = newest
      })
  })
  const told = ports({
    pauses: {
      recent: none,
      all: Effect.sync(() => (world.reads += 1, [])),
      add: (pause) => Effect.sync(() => (world.halts += 1, pause))
    },
    watcher: {
      finality: (_, remembered, asked) =>
        Effect.sync(() => ({
          newest: asked === "standing" ? undefined : world.node,
          // The node's blocks of every height are of its present fork.
          found: remembered === undefined ? undefined : block(remembered.height, world.node.hash.slice(-1)).hash
        })) as never
    }
  })
  const others = Layer.mergeAll(
    Layer.succeed(FinalBlocks, finals),
    Layer.succeed(PermitSubmissions, dying<PermitSubmissions["Service"]>({})),
    Layer.succeed(Losses, dying<Losses["Service"]>({})),
    Layer.succeed(Sweeps, dying<Sweeps["Service"]>({}))
  )
  const guard = makeFinalityGuard(alpha)
  const look = (times: number, asked: FinalityAsked = "newest") =>
    Effect.provide(Effect.repeat(guard(asked), { times: times - 1 }), Layer.merge(told, others))
  return { world, look }
}

const block = (height: bigint, fork: string): Cursor => ({ height, hash: `0x${height}${fork}` })

describe("the guard of a chain's final blocks", () => {
  it.effect("reads the store once, and not again while blocks become final", () =>
    Effect.gen(function*() {
      const { look, world } = guarded()
      yield* look(3)
      world.node = block(6n, "a")
      yield* look(50)
      assert.deepStrictEqual([world.remembered, world.reads, world.halts], [block(6n, "a"), 1, 0])
    }))

  it.effect("halts the chain when the block that the store remembers was replaced", () =>
    Effect.gen(function*() {
      const { look, world } = guarded()
      yield* look(2)
      world.node = block(6n, "b")
      yield* look(2)
      assert.strictEqual(world.halts, 0)
      yield* look(1)
      assert.strictEqual(world.halts, 1)
    }))

  it.effect("halts the chain when it is only asked whether that block stands, and remembers no other one then", () =>
    Effect.gen(function*() {
      const { look, world } = guarded()
      // Nothing is remembered yet: the first one always is.
      yield* look(1, "standing")
      assert.deepStrictEqual(world.remembered, block(5n, "a"))
      world.node = block(6n, "a")
      yield* look(5, "standing")
      assert.deepStrictEqual(world.remembered, block(5n, "a"))
      world.node = block(7n, "b")
      yield* look(3, "standing")
      assert.strictEqual(world.halts, 1)
    }))

  it.effect("does not halt a chain again that was halted and resumed without its knowledge", () =>
    Effect.gen(function*() {
      const { look, world } = guarded()
      yield* look(2)
      world.node = block(6n, "b")
      // Another process has booked the losses, and no notice came.
      world.remembered = undefined
      yield* look(20)
      assert.deepStrictEqual([world.remembered, world.halts], [block(6n, "b"), 0])
    }))
})

describe("a halted chain", () => {
  it.effect("has submissions that it lost followed again, and does not book them as losses", () =>
    Effect.gen(function*() {
      const reopened: Array<string> = []
      const lost = {
        orderId: word(7),
        leg: "settlement",
        deposit: word(7),
        block: { height: 5n, hash: "0x05", time: 1 },
        transactionId: word(8),
        variants: []
      }
      const others = Layer.mergeAll(
        Layer.succeed(
          FinalBlocks,
          dying<FinalBlocks["Service"]>({
            find: () => Effect.succeed({ height: 9n, hash: "0x09" }),
            forget: () => Effect.void
          })
        ),
        Layer.succeed(PermitSubmissions, dying<PermitSubmissions["Service"]>({})),
        Layer.succeed(Losses, dying<Losses["Service"]>({})),
        Layer.succeed(Sweeps, dying<Sweeps["Service"]>({}))
      )
      const told = ports({
        deposits: { ended: () => Effect.succeed([]) },
        payments: { included: () => Effect.succeed([lost] as never) },
        treasury: { outcome: () => Effect.succeed({ _tag: "Unseen" }) },
        pauses: {
          all: Effect.succeed(
            [{
              id: "halt:1",
              scope: { _tag: "Halt", chainId: alpha.id, height: 9n, expected: "0x09", found: "0x10" },
              reason: "",
              createdAt: 1
            }] as never
          )
        },
        settlements: {
          reopen: (id) =>
            Effect.sync(() => {
              reopened.push(id)
              return true
            })
        }
      })
      assert.strictEqual(yield* Effect.provide(makeFinalityGuard(alpha)("newest"), Layer.merge(told, others)), "booked")
      assert.deepStrictEqual(reopened, [word(7)])
    }))
})
