/** Runs a module in its own Node process, for tests about processes that are killed. It ends with its scope. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"

export interface ChildProgram {
  readonly pid: number
  /** Everything it has written so far. */
  readonly output: () => string
  /** Completes when that text has been written, or the program has ended. */
  readonly written: (text: string) => Effect.Effect<void>
  /** Its exit code, or the signal that ended it. */
  readonly ended: Effect.Effect<number | NodeJS.Signals>
  readonly kill: (signal: NodeJS.Signals) => void
}

/** The path of a module of hosts/localnet, as an import specifier. */
export const moduleOf = (name: string): string => JSON.stringify(join(import.meta.dirname, "..", name))

export const runProgram = (source: string, environment: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.sync((): ChildProgram => {
      const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", source], {
        cwd: import.meta.dirname,
        env: { ...process.env, NO_COLOR: "1", ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let output = ""
      const listen = (chunk: Buffer) => {
        output += chunk.toString()
      }
      child.stdout.on("data", listen)
      child.stderr.on("data", listen)
      const result = () => child.exitCode ?? child.signalCode ?? undefined
      return {
        pid: child.pid ?? 0,
        output: () => output,
        written: (text) =>
          Effect.sleep(20).pipe(
            Effect.repeat({ until: () => output.includes(text) || result() !== undefined }),
            Effect.asVoid
          ),
        ended: Effect.sleep(20).pipe(
          Effect.repeat({ until: () => result() !== undefined }),
          Effect.map(() => result() ?? 0)
        ),
        kill: (signal) => void child.kill(signal)
      }
    }),
    (program) => Effect.andThen(Effect.sync(() => program.kill("SIGKILL")), program.ended)
  )
