/** The stream against the test's own clock: the first event, later events, and a comment after 15 s of silence. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { TransferEvent } from "../../../../ports/store/orders/TransferHistory.ts"
import { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { eventsOf } from "../../testing/Events.ts"
import { makeStatusFeed } from "./StatusFeed.ts"
import { statusStream } from "./StatusStream.ts"
import { onlyRequest as id, storeOfOne } from "./testing/StoreOfOne.ts"

const streamOf = ({ service }: ReturnType<typeof storeOfOne>, seen: number | undefined) =>
  Effect.map(makeStatusFeed(service, Effect.never), (feed) => statusStream(service, feed, id, seen))

it.effect("sends each change once and in order, a comment every 15 s, and ends", () =>
  Effect.gen(function*() {
    const held = storeOfOne("waiting", "depositing")
    const add = (...more: ReadonlyArray<TransferEvent["status"]>) => {
      held.store.events = [...held.store.events, ...more]
      return TestClock.adjust("1 second")
    }
    const reading = yield* Effect.forkChild(Stream.runCollect(yield* streamOf(held, undefined)))
    yield* TestClock.adjust("31 seconds")
    yield* add("pending", "submitted")
    yield* add("success")
    const texts = yield* Fiber.join(reading)
    assert.deepStrictEqual(eventsOf(texts.join("")).map((each) => each.id), ["1", "2", "3", "4"])
    assert.deepStrictEqual(
      eventsOf(texts.join("")).map(({ data }) => (JSON.parse(data) as { status: string }).status),
      ["depositing", "pending", "submitted", "success"]
    )
    assert.strictEqual(
      texts.filter((text) => text.startsWith(":")).length,
      2
    )
    assert.isTrue(texts[0]?.startsWith("event: status"), "the state comes before any comment")
  }))

it.effect("sends the current state to a client that has seen everything, and all missed changes to one that has not", () =>
  Effect.gen(function*() {
    const held = storeOfOne("waiting", "depositing", "refund")
    const ids = (seen: number | undefined) =>
      Effect.map(
        Effect.flatMap(streamOf(held, seen), Stream.runCollect),
        (texts) => eventsOf(texts.join("")).map((each) => each.id)
      )
    assert.deepStrictEqual(yield* ids(undefined), ["2"])
    assert.deepStrictEqual(yield* ids(0), ["1", "2"])
    assert.deepStrictEqual(yield* ids(2), ["2"])
    assert.deepStrictEqual(yield* ids(77), ["77"])
  }))

it.effect("a stream waits for its own request's change, with the others in one look, and ends when the host closes them", () =>
  Effect.gen(function*() {
    let last = 0
    const looks: Array<ReadonlyArray<RequestId>> = []
    const other = RequestId.make(`0x${"34".repeat(32)}`)
    const lastChanges = (ids: ReadonlyArray<RequestId>) =>
      Effect.sync(() => {
        looks.push(ids)
        return new Map([[id, last], [other, 0]])
      })
    const closing = yield* Latch.make()
    const feed = yield* makeStatusFeed({ lastChanges }, closing.await)
    yield* TestClock.adjust("1 minute")
    assert.lengthOf(looks, 0, "nobody waits")
    const waiting = (of: RequestId) => Effect.forkChild(feed.next(of, 0, 3_600_000))
    const [first, second, third] = [yield* waiting(id), yield* waiting(id), yield* waiting(other)]
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(looks.at(-1), [id, other])
    last = 1
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], ["changed", "changed"])
    assert.isUndefined(third.pollUnsafe())
    assert.deepStrictEqual(looks.at(-1), [other])
    yield* closing.open
    assert.strictEqual(yield* Fiber.join(third), "closing")
    assert.strictEqual(yield* feed.next(id, 0, 3_600_000), "closing", "opened too late")
    looks.length = 0
    yield* TestClock.adjust("1 minute")
    assert.lengthOf(looks, 0, "nobody waits any more")
  }))

it.effect("looks at many streams take a tenth of the time at most, unless one takes longer than half a second", () =>
  Effect.gen(function*() {
    let [takes, looks] = [0, 0]
    const lastChanges = () =>
      Effect.as(Effect.andThen(Effect.sync(() => looks += 1), Effect.sleep(takes)), new Map<RequestId, number>())
    const feed = yield* makeStatusFeed({ lastChanges }, Effect.never)
    yield* Effect.forkChild(feed.next(id, 0, 3_600_000))
    const looksInAMinute = (ms: number) =>
      Effect.suspend(() => {
        takes = ms
        looks = 0
        return Effect.map(TestClock.adjust("1 minute"), () => looks)
      })
    const most = [[0, 201], [30, 183], [100, 61], [1_000, 11], [10_000, 5]] as const
    for (const [ms, bound] of most) {
      const seen = yield* looksInAMinute(ms)
      assert.isAtMost(seen, bound, `${ms}`)
      assert.isAtLeast(seen, bound - 2, `${ms}`)
    }
  }))

it.effect("a stream keeps its comments while the store does not answer, and its place among the waiting only while it is read", () =>
  Effect.gen(function*() {
    const failing = { lastChanges: () => Effect.fail(new StoreUnavailable({ operation: "test" })) }
    const feed = yield* makeStatusFeed(failing, Effect.never)
    const commented = yield* Effect.forkChild(feed.next(id, 0, 15_000))
    const left = yield* Effect.forkChild(feed.next(id, 0, 15_000))
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(left)
    yield* TestClock.adjust("2 minutes")
    assert.strictEqual(yield* Fiber.join(commented), "comment")
  }))
