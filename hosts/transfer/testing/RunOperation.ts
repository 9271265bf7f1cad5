/** An operator's command as a separate process, from environment variables alone: its exit and its output. */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { startedAsByNpm } from "../../../scripts/testing/StartedAsByNpm.ts"

export interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

export const runOperation = (
  name: "backup" | "doctor" | "restore",
  environment: Readonly<Record<string, string>>,
  ...args: ReadonlyArray<string>
): Effect.Effect<Ran> =>
  Effect.callback<Ran>((resume) => {
    const child = execFile(
      process.execPath,
      [...startedAsByNpm, join(import.meta.dirname, "../operations", `${name}.ts`), ...args],
      { env: { PATH: process.env["PATH"] ?? "", ...environment } },
      (_, out, error) => resume(Effect.succeed({ code: child.exitCode ?? -1, out, error }))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })
