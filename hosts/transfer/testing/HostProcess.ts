/** A host of the transfer service as a separate process, from environment variables alone, as an operator runs it. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { startedAsByNpm } from "../../../scripts/testing/StartedAsByNpm.ts"
import { untilAnswers } from "./UntilAnswers.ts"

export interface HostProcess {
  readonly url: string
  readonly pid: number
  /** Everything written to stdout and stderr so far. */
  readonly output: () => string
  /** Completes when the process has ended, with its exit code, or the signal that ended it. */
  readonly ended: Effect.Effect<number | NodeJS.Signals>
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<number | NodeJS.Signals>
}

const mains = { transfer: "transfer/main.ts", worker: "transfer/worker.ts", oracle: "oracle/main.ts" } as const

/** The allocator of the local network's hub, for tests that do not use it: its configuration requires one. */
export const NOBODY = `0x${"a1".repeat(20)}`

const present = join(import.meta.dirname, "../../..")

/** Starts a host without waiting. Killed with the scope if it still runs. `root` is the program's folder. */
export const spawnHost = (
  host: keyof typeof mains,
  environment: Readonly<Record<string, string>>,
  root: string = present
) =>
  Effect.acquireRelease(
    Effect.sync((): HostProcess => {
      const child = spawn(process.execPath, [...startedAsByNpm, join(root, "hosts", mains[host])], {
        // Without this machine's environment: variables outside the documented table must not be needed.
        env: { PATH: process.env["PATH"] ?? "", HUB_ALLOCATOR: NOBODY, ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let output = ""
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString()
      })
      child.stderr.on("data", (chunk: Buffer) => {
        output += chunk.toString()
      })
      const result = () => child.exitCode ?? child.signalCode ?? undefined
      const ended = Effect.callback<number | NodeJS.Signals>((resume) => {
        const now = result()
        if (now !== undefined) return resume(Effect.succeed(now))
        child.once("exit", (code, signal) => resume(Effect.succeed(code ?? signal ?? 0)))
      })
      return {
        url: `http://127.0.0.1:${environment[host === "oracle" ? "HTTP_PORT" : "TRANSFER_PORT"] ?? "3001"}`,
        pid: child.pid ?? 0,
        output: () => output,
        ended,
        kill: (signal) => Effect.andThen(Effect.sync(() => child.kill(signal)), ended)
      }
    }),
    (host) => host.kill("SIGKILL")
  )

const startUntil = Effect.fnUntraced(
  function*(name: keyof typeof mains, path: string, environment: Readonly<Record<string, string>>, root?: string) {
    const host = yield* spawnHost(name, environment, root)
    const gone = Effect.flatMap(host.ended, () => Effect.die(new Error(`the host ended:\n${host.output()}`)))
    yield* Effect.raceFirst(untilAnswers(`${host.url}${path}`), gone)
    return host
  }
)

/** Starts a host and waits until `GET /ready` answers 200. If the host ends instead, fails with its output. */
export const startHost = (environment: Readonly<Record<string, string>>, root?: string) =>
  startUntil("transfer", "/ready", environment, root)

/** Starts the oracle and waits until it listens, which needs no reachable chain. */
export const startOracle = (environment: Readonly<Record<string, string>>, root?: string) =>
  startUntil("oracle", "/lives/v1", environment, root)
