/**
 * A throw-away Redis for tests, on the loopback, with a password, without a disk. It cannot outlive its test process,
 * even when that is killed: a shell ends it when the pipe between them closes.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { anyFree } from "../../localnet/nodes/Port.ts"

export interface RedisServer {
  readonly url: string
  readonly password: string
  /** Ends the server at once and loses its data. */
  readonly stop: Effect.Effect<void>
  /** Starts a new, empty one with the same address and password. */
  readonly restart: Effect.Effect<void, never, Scope.Scope>
  /** Stops the server like an overloaded one: it accepts connections and does not answer. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
}

/** Prints its own pid, then waits for the end of its input. SIGKILL also ends a stopped server. */
const KEEPER = `
"$@" >/dev/null & pid=$!
echo $pid
cat >/dev/null
kill -9 $pid
`

const listens = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(true))
    })
    socket.once("error", () => resume(Effect.succeed(false)))
  })

const until = (port: number, wanted: boolean) =>
  listens(port).pipe(
    Effect.tap((does) => does === wanted ? Effect.void : Effect.sleep(20)),
    Effect.repeat({ until: (does) => does === wanted })
  )

export const start = Effect.fnUntraced(function*(program: string) {
  const port = yield* anyFree
  const password = randomBytes(16).toString("hex")
  let stopNow: () => void = () => undefined
  let pid = 0
  const signal = (name: NodeJS.Signals) => Effect.sync(() => void process.kill(pid, name))

  const run = Effect.acquireRelease(
    Effect.callback<() => void>((resume) => {
      const words = [
        program,
        "--port",
        `${port}`,
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--appendonly",
        "no",
        "--dir",
        tmpdir(),
        "--requirepass",
        password
      ]
      // A separate process group: the signal that ends a test run must reach the tests first, and the keeper cleans up
      // after them.
      const keeper = spawn("/bin/sh", ["-c", KEEPER, "sh", ...words], {
        detached: true,
        stdio: ["pipe", "pipe", "ignore"]
      })
      keeper.stdout.once("data", (line: Buffer) => {
        pid = Number(line.toString())
        keeper.unref()
        resume(Effect.succeed(() => keeper.stdin.end()))
      })
    }),
    (stop) => Effect.sync(stop)
  ).pipe(
    Effect.map((stop) => {
      stopNow = stop
    }),
    Effect.andThen(until(port, true)),
    Effect.asVoid
  )

  yield* run
  const server: RedisServer = {
    url: `redis://:${password}@127.0.0.1:${port}`,
    password,
    stop: Effect.andThen(Effect.sync(() => stopNow()), Effect.asVoid(until(port, false))),
    restart: run,
    pause: signal("SIGSTOP"),
    resume: signal("SIGCONT")
  }
  return server
})
