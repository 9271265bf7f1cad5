/** `causeway follow` as a separate process: its output, and its exit. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { startedAsByNpm } from "../../../scripts/testing/StartedAsByNpm.ts"

const main = join(import.meta.dirname, "../../cli/causeway.ts")

/** Ended with its scope. */
export const startFollow = (...words: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [...startedAsByNpm, main, "follow", ...words], {
        env: { PATH: process.env["PATH"] ?? "" },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let out = ""
      let error = ""
      child.stdout.on("data", (chunk: Buffer) => {
        out += chunk.toString()
      })
      child.stderr.on("data", (chunk: Buffer) => {
        error += chunk.toString()
      })
      return {
        out: () => out,
        error: () => error,
        signal: (signal: NodeJS.Signals) => Effect.sync(() => child.kill(signal)),
        ended: Effect.callback<number | NodeJS.Signals>((resume) => {
          const now = child.exitCode ?? child.signalCode
          if (now !== null) return resume(Effect.succeed(now))
          child.once("close", (code, signal) => resume(Effect.succeed(code ?? signal ?? 0)))
        })
      }
    }),
    ({ ended, signal }) => Effect.andThen(signal("SIGKILL"), ended)
  )
