/**
 * What blocks tell of watched addresses is as good as asking for each of them: whatever they are paid in whichever way,
 * while nodes lag, answer in turns, fail, and get further blocks between two requests.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { accountOf, addressOf, makeSolidBlocks } from "../testing/SolidBlocks.ts"
import type { Transfer, Way } from "../testing/SolidBlocks.ts"
import { layer } from "./AddressBalances.ts"

const NODES = 3
/** Half of them are made for TRX, the others for the token. */
const ADDRESSES = 8
/** Counts as paid, and pays for its own sweep. */
const UNITS = 1_000_000_000n

const isToken = (n: number): boolean => n % 2 === 1

type Event =
  | { readonly _tag: "Block"; readonly paid: ReadonlyArray<readonly [n: number, inner: boolean]> }
  /**
   * Of the first addresses. `twice`: another read begins while it lasts. `turns`: the next node answers after each
   * request. Further blocks come between its requests.
   */
  | {
    readonly _tag: "Read"
    readonly first: number
    readonly twice: boolean
    readonly turns: boolean
    readonly grows: number
  }
  | { readonly _tag: "Node"; readonly node: number; readonly behind: number; readonly fails: boolean }

const address = fc.nat(ADDRESSES - 1)
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      _tag: fc.constant("Block" as const),
      paid: fc.uniqueArray(fc.tuple(address, fc.boolean()), { maxLength: 2, selector: ([n]) => n })
    })
  },
  {
    weight: 5,
    arbitrary: fc.record({
      _tag: fc.constant("Read" as const),
      first: fc.integer({ min: 4, max: ADDRESSES }),
      twice: fc.boolean(),
      turns: fc.constantFrom(true, true, false),
      grows: fc.nat(6)
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Node" as const),
      node: fc.nat(NODES - 1),
      behind: fc.nat(4),
      fails: fc.constantFrom(false, false, false, true)
    })
  }
)

const wayOf = (n: number, inner: boolean): Way => {
  if (isToken(n)) return "token"
  return inner ? "inner" : "plain"
}

const numbers = Array.from({ length: ADDRESSES }, (_, n) => n)

/** Plays a history. `unasked`: how many readings were no requests for their addresses. */
const play = (events: ReadonlyArray<Event>) => {
  const { add, balance, chain, layer: around, state, token } = makeSolidBlocks(NODES)
  /** An address that has something is swept, which it sends itself; an empty one is paid. */
  const transferOf = ([n, inner]: readonly [number, boolean]): Transfer => {
    const held = balance(accountOf(n), isToken(n))
    return { account: accountOf(n), way: wayOf(n, inner && held === 0n), units: held === 0n ? UNITS : -held }
  }
  let unasked = 0
  const asks = () => (state.asked.get("getaccount") ?? 0) + (state.asked.get("triggerconstantcontract") ?? 0)
  return Effect.gen(function*() {
    const balances = yield* AddressBalances
    const readFirst = Effect.fnUntraced(function*(first: number) {
      const before = asks()
      const readings = yield* Effect.forEach(
        numbers.slice(0, first),
        (n) => Effect.result(balances.read(chain, addressOf(n), [isToken(n) ? token : chain.native], "watched")),
        { concurrency: 3 }
      )
      const read = readings.filter(Result.isSuccess)
      unasked += Math.max(0, read.length - (asks() - before))
      return readings
    })
    for (const each of events) {
      yield* TestClock.adjust("1 second")
      if (each._tag === "Block") add(each.paid.map(transferOf))
      else if (each._tag === "Node") {
        state.node = each.node
        state.behind[each.node] = each.behind
        state.fails = each.fails
      } else {
        let grows = each.grows
        state.onRequest = () => {
          if (each.turns) state.node = (state.node + 1) % NODES
          if (grows-- > 0) add(grows % 2 === 0 ? [transferOf([grows % ADDRESSES, true])] : [])
        }
        const reading = yield* Effect.forkChild(readFirst(each.first))
        if (each.twice) {
          yield* Effect.yieldNow
          yield* TestClock.adjust("1 second")
          yield* readFirst(ADDRESSES)
        }
        yield* Fiber.join(reading)
        state.onRequest = () => undefined
      }
    }
    state.fails = false
    state.behind.fill(0)
    add()
    // The clock has not come to where empty addresses are asked for anyway.
    yield* TestClock.adjust("3 seconds")
    const readings = yield* readFirst(ADDRESSES)
    for (const n of numbers) {
      const shown = readings[n]
      if (shown === undefined || Result.isFailure(shown)) return assert.fail(`${n} was not read`)
      const [reading] = shown.success
      assert.strictEqual(
        reading?._tag === "Read" ? reading.units : undefined,
        balance(accountOf(n), isToken(n)),
        `${n}`
      )
    }
    return unasked
  }).pipe(Effect.provide(layer.pipe(Layer.provide(around), Layer.provideMerge(TestClock.layer()))))
}

describe("watched addresses of a Tron chain", () => {
  it("have what the chain says they have, after any history of blocks, nodes and reads", async () => {
    let unasked = 0
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
        unasked += await Effect.runPromise(play(events))
      }),
      { numRuns: inputs(1_200, 6_000) }
    )
    assert.isAbove(unasked, 100)
  })
})
