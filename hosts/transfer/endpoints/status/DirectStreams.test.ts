/** Streams on Node's own response: what is sent and when, to whom nothing is sent, and how a stream ends. */
import { assert, it } from "@effect/vitest"
import { Effect, Latch } from "effect"
import type { Scope } from "effect"
import { TestClock } from "effect/testing"
import { createServer, IncomingMessage, ServerResponse } from "node:http"
import { connect, Socket } from "node:net"
import { Duplex } from "node:stream"
import { Statuses } from "../../../../src/services/requests/Statuses.ts"
import { Shutdown, layerShutdown } from "../../../http/Shutdown.ts"
import { makeLimited } from "../../middleware/RateLimit.ts"
import { makeStreamSlots } from "../../middleware/StreamSlots.ts"
import { makeDirectStreams } from "./DirectStreams.ts"
import { makeStatusFeed } from "./StatusFeed.ts"
import { StatusStreams } from "./StatusStreams.ts"
import { onlyRequest as id, storeOfOne } from "./testing/StoreOfOne.ts"

/** A client's connection. It takes what is written at once, or, when it does not read, one piece and nothing more. */
const connection = (reads: boolean) => {
  let text = ""
  let taken = () => {}
  const socket = new Duplex({
    highWaterMark: reads ? 65_536 : 1,
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString()
      if (reads) done()
      else taken = done
    },
    writev: (chunks, done) => {
      text += chunks.map(({ chunk }: { readonly chunk: Buffer }) => chunk.toString()).join("")
      if (reads) done()
      else taken = done
    }
  })
  const take = () => {
    const done = taken
    taken = () => {}
    done()
  }
  return { socket, text: () => text, take }
}

/** Node writes the first pieces of an answer together, a moment later. */
const written = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const serving = Effect.fnUntraced(function*(service: Statuses["Service"]) {
  const closing = yield* Latch.make()
  const feed = yield* makeStatusFeed(service, closing.await)
  const slots = makeStreamSlots()
  const address = "10.0.0.1"
  const direct = yield* makeDirectStreams({
    baseUrl: "",
    callerOf: () => Effect.succeed({ _tag: "Address", address }),
    limited: makeLimited({
      quotesPerMinute: undefined,
      othersPerMinute: undefined,
      keyQuotesPerSecond: undefined,
      keyOthersPerMinute: undefined
    }, { take: () => Effect.die("not used") }),
    ending: yield* Shutdown,
    accessRatio: 0
  }, () => address).pipe(
    Effect.provideService(Statuses, service),
    Effect.provideService(StatusStreams, { feed, slots })
  )
  const open = (options: { readonly reads?: boolean; readonly lastEventId?: string; readonly url?: string } = {}) => {
    const { socket, take, text } = connection(options.reads ?? true)
    const request = new IncomingMessage(new Socket())
    request.method = "GET"
    request.url = options.url ?? `/intents/status/stream?requestId=${id}`
    if (options.lastEventId !== undefined) request.headers["last-event-id"] = options.lastEventId
    const response = new ServerResponse(request)
    // Only what a response uses of a socket.
    response.assignSocket(socket as unknown as Socket)
    // As Node's server does.
    socket.on("drain", () => response.emit("drain"))
    const isDirect = direct(request, response, () => assert.fail("not routed later"))
    return {
      isDirect,
      response,
      take,
      text,
      ids: () => [...text().matchAll(/^id: (\d+)$/gmu)].map(([, n]) => Number(n)),
      comments: () => text().split(": still here").length - 1
    }
  }
  return { direct, open, slots: () => slots.isFull(address), close: closing.open }
})

const test = (name: string, body: Effect.Effect<void, unknown, Shutdown | Scope.Scope>) =>
  it.effect(name, () => Effect.provide(body, layerShutdown))

test(
  "sends the current state, every change once and in order, a comment every 15 s, and ends",
  Effect.gen(function*() {
    const { service, store } = storeOfOne("waiting", "depositing")
    const { open } = yield* serving(service)
    const stream = open()
    yield* TestClock.adjust("31 seconds")
    assert.deepStrictEqual(stream.ids(), [1])
    assert.strictEqual(stream.comments(), 2)
    store.events = ["waiting", "depositing", "pending", "submitted"]
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(stream.ids(), [1, 2, 3])
    assert.isFalse(stream.response.writableEnded)
    store.events = [...store.events, "success"]
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(stream.ids(), [1, 2, 3, 4])
    assert.isTrue(stream.response.writableEnded)
  })
)

test(
  "goes on after the event that a client names, and leaves other spellings to the router",
  Effect.gen(function*() {
    const { service } = storeOfOne("waiting", "depositing", "refund")
    const { open } = yield* serving(service)
    assert.deepStrictEqual(open({ lastEventId: "0" }).ids(), [1, 2])
    assert.deepStrictEqual(open({ lastEventId: "2" }).ids(), [2])
    assert.deepStrictEqual(open({ lastEventId: "none" }).ids(), [2])
    assert.isFalse(open({ lastEventId: "1".repeat(21) }).isDirect)
    assert.isFalse(open({ url: `//intents/status/stream?requestId=${id}` }).isDirect)
    assert.isFalse(open({ url: `/intents/status/stream?requestId=${id.toUpperCase()}` }).isDirect)
  })
)

test(
  "sends nothing more to a client that does not read, and then everything that it missed",
  Effect.gen(function*() {
    const { service, store } = storeOfOne("waiting")
    const { open } = yield* serving(service)
    const stream = open({ reads: false })
    yield* written
    const before = stream.text()
    const length = stream.response.writableLength
    store.events = ["waiting", "depositing"]
    yield* TestClock.adjust("1 minute")
    store.events = [...store.events, "pending"]
    yield* TestClock.adjust("1 minute")
    yield* written
    assert.strictEqual(stream.text(), before)
    assert.strictEqual(stream.response.writableLength, length, "nothing piles up")
    // It reads again: each turn takes one piece and lets the feed look.
    for (let n = 0; n < 8; n += 1) {
      stream.take()
      yield* written
      yield* TestClock.adjust("1 second")
      yield* written
    }
    assert.deepStrictEqual(stream.ids(), [0, 1, 2])
  })
)

test(
  "gives a client's slot back when the stream ends or the client leaves, and not before",
  Effect.gen(function*() {
    const { service } = storeOfOne("waiting")
    const { open, slots } = yield* serving(service)
    const streams = Array.from({ length: 20 }, () => open())
    assert.isTrue(slots())
    assert.include(open().text(), "429 Too Many Requests")
    assert.isTrue(slots(), "a refused stream holds no slot")
    const [first] = streams
    const left = Effect.callback<void>((resume) => {
      first?.response.once("close", () => resume(Effect.void))
      first?.response.destroy()
    })
    yield* left
    assert.isFalse(slots())
    const next = open()
    yield* written
    assert.include(next.text(), "200 OK")
    assert.isTrue(slots())
  })
)

it.live("gives back the slots of streams that a client asked for on one connection, when it leaves", () =>
  Effect.gen(function*() {
    const { direct, slots } = yield* serving(storeOfOne("waiting").service)
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => createServer((request, response) => direct(request, response, () => {}))),
      (started) => Effect.sync(() => started.close())
    )
    const port = yield* Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const bound = server.address()
        resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : 0))
      })
    })
    const client = connect(port, "127.0.0.1")
    // Node answers them in order, so all but the first wait for their connection.
    client.write(`GET /intents/status/stream?requestId=${id} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(20))
    yield* Effect.repeat(Effect.sleep("5 millis"), { until: slots })
    client.destroy()
    yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => !slots() })
  }).pipe(Effect.scoped, Effect.provide(layerShutdown)))

test(
  "ends with the host's streams, also one that is opened afterwards",
  Effect.gen(function*() {
    const { service } = storeOfOne("waiting")
    const { close, open } = yield* serving(service)
    const early = open()
    assert.isFalse(early.response.writableEnded)
    yield* close
    yield* TestClock.adjust("1 second")
    assert.isTrue(early.response.writableEnded)
    const late = open()
    assert.deepStrictEqual(late.ids(), [0])
    assert.isTrue(late.response.writableEnded)
  })
)

test(
  "is not waited for any more once its client has left, also after a change",
  Effect.gen(function*() {
    const { service, store } = storeOfOne("waiting")
    const { open } = yield* serving(service)
    const streams = [open(), open()]
    yield* written
    store.events = ["waiting", "depositing"]
    yield* TestClock.adjust("1 second")
    for (const { ids, response } of streams) {
      assert.deepStrictEqual(ids(), [0, 1])
      response.destroy()
    }
    yield* written
    yield* TestClock.adjust("1 second")
    store.looks = 0
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(store.looks, 0)
  })
)

test(
  "is a 503 while the store does not answer, and is cut off when a change cannot be read",
  Effect.gen(function*() {
    const { service, store } = storeOfOne("waiting")
    const flaky: Statuses["Service"] = {
      ...service,
      // The feed's look succeeds; the stream's own reading does not.
      lastChanges: () => Effect.sync(() => new Map([[id, store.events.length - 1]]))
    }
    const { open, slots } = yield* serving(flaky)
    store.isDown = true
    assert.include(open().text(), "503 Service Unavailable")
    assert.isFalse(slots())
    store.isDown = false
    const stream = open()
    store.isDown = true
    store.events = ["waiting", "depositing"]
    yield* TestClock.adjust("1 second")
    assert.isTrue(stream.response.destroyed)
    assert.isFalse(stream.response.writableEnded)
  })
)
