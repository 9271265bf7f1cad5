/**
 * Clients that request the largest answers fill only the budget for large answers: usual answers pass, and large ones
 * come in turn.
 */
import { assert, describe, it } from "@effect/vitest"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Pool } from "undici"
import { AnswerRoom } from "./AnswerRoom.ts"
import { readAnswer, TooLarge } from "./ReadAnswer.ts"

const MIB = 1024 * 1024

const never = new AbortController().signal

/** Answers `/<bytes>` with that many bytes, and states the length unless asked with `?chunked`. */
type Get = (path: string, maxBytes: number, within: AnswerRoom) => Promise<number>

const answering = async <A>(use: (get: Get) => Promise<A>): Promise<A> => {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://node")
    const bytes = Number(pathname.slice(1))
    if (search === "") response.setHeader("content-length", bytes)
    response.end(Buffer.alloc(bytes, "a"))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  try {
    return await use((path, maxBytes, within) =>
      readAnswer(pool, { method: "GET", path }, {
        signal: never,
        maxBytes,
        parse: ({ text }) => text.length,
        within
      })
    )
  } finally {
    await pool.destroy()
    server.close()
    server.closeAllConnections()
  }
}

/**
 * Lets all pending work run: the budget works in microtasks, sockets in turns of the event loop. Many short timers,
 * because after a pause of the process a timer comes before what sockets have received.
 */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 2))
}

describe("answers of endpoints", () => {
  it("of usual size are read while the room is full; larger ones wait until room is freed, however they are sent", () =>
    answering(async (get) => {
      const room = new AnswerRoom(2 * MIB)
      const leave = await room.enter(2 * MIB, never)
      assert.strictEqual(await get("/1000", 2 * MIB, room), 1_000)
      assert.strictEqual(await get("/1000?chunked", 2 * MIB, room), 1_000)
      const read: Array<number> = []
      const large = ["/1000000", "/900000?chunked", "/1500000"].map(async (path) =>
        read.push(await get(path, 2 * MIB, room))
      )
      await settle()
      assert.deepStrictEqual(read, [])
      leave()
      await Promise.all(large)
      assert.sameMembers(read, [1_000_000, 900_000, 1_500_000])
      // The whole budget is free again.
      const again = await room.enter(2 * MIB, never)
      again()
    }))

  it("beyond their bound are cut off, and leave the room as it was", () =>
    answering(async (get) => {
      const room = new AnswerRoom(MIB)
      for (const path of ["/2000000", "/2000000?chunked"]) {
        const refused = await get(path, MIB, room).then(() => "read", (cause: unknown) => cause)
        assert.instanceOf(refused, TooLarge, path)
      }
      const leave = await room.enter(MIB, never)
      leave()
    }))

  it("leave the queue when their caller stops waiting", async () => {
    const room = new AnswerRoom(10)
    const leave = await room.enter(6, never)
    const gone = new AbortController()
    const first = room.enter(10, gone.signal).then(() => "entered", () => "left")
    const second = room.enter(4, never)
    gone.abort()
    assert.strictEqual(await first, "left")
    const leaveToo = await second
    leave()
    leave()
    leaveToo()
    const all = await room.enter(10, never)
    const more = room.enter(1, never)
    all()
    const last = await more
    last()
  })

  describe("that no caller waits for any more", () => {
    /** A server that answers when it is told to. */
    const withServer = async (
      use: (server: {
        readonly get: (signal: AbortSignal) => Promise<string>
        readonly answers: Array<(bytes: number) => void>
        readonly connections: () => number
        readonly ended: () => number
      }) => Promise<void>
    ): Promise<void> => {
      const answers: Array<(bytes: number) => void> = []
      let [connections, ended] = [0, 0]
      const server = createServer((_, response) => {
        answers.push((bytes) => response.end(Buffer.alloc(bytes, "a")))
      })
      server.on("connection", (socket) => {
        connections += 1
        socket.once("close", () => {
          ended += 1
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
      try {
        const get = (signal: AbortSignal) =>
          readAnswer(pool, { method: "GET", path: "/" }, { signal, maxBytes: MIB, parse: ({ text }) => text })
        await use({ get, answers, connections: () => connections, ended: () => ended })
      } finally {
        await pool.destroy()
        server.close()
        server.closeAllConnections()
      }
    }

    const until = async (holds: () => boolean): Promise<void> => {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
    }

    const outcome = (reading: Promise<string>) => reading.then((text) => text.length, () => "left")

    it("are told at once, and leave their connection to the next request when their answer comes soon", () =>
      withServer(async ({ answers, connections, ended, get }) => {
        for (let turn = 1; turn <= 3; turn += 1) {
          const gone = new AbortController()
          const left = outcome(get(gone.signal))
          await until(() => answers.length === 2 * turn - 1)
          gone.abort()
          assert.strictEqual(await left, "left")
          answers.at(-1)?.(100)
          await settle()
          const next = outcome(get(never))
          await until(() => answers.length === 2 * turn)
          answers.at(-1)?.(7)
          assert.strictEqual(await next, 7)
        }
        assert.strictEqual(ended(), 0)
        assert.isAtMost(connections(), 2, "of six requests, the pool's own choice")
      }))

    it("lose it when the answer is late, is large, or many wait for nothing", () =>
      withServer(async ({ answers, ended, get }) => {
        const leave = async (count: number): Promise<void> => {
          const before = answers.length
          const gone = new AbortController()
          const left = Array.from({ length: count }, () => outcome(get(gone.signal)))
          await until(() => answers.length === before + count)
          gone.abort()
          assert.deepStrictEqual(await Promise.all(left), left.map(() => "left"))
        }
        await leave(1)
        await until(() => ended() === 1)
        await leave(1)
        answers.at(-1)?.(MIB)
        await until(() => ended() === 2)
        await leave(10)
        await until(() => ended() === 12)
      }))
  })
})
