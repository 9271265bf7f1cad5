/**
 * A child process that cannot outlive its parent.
 *
 * The child runs under a small shell that waits for the end of its standard input, a pipe that only the parent holds.
 * When the parent ends in any way (SIGKILL included), the kernel closes the pipe and the shell ends the child: SIGTERM
 * first, so that it can save its state, SIGKILL after 5 s. The child has its own session: Ctrl-C in a terminal reaches
 * only the parent, which then ends its children in its own order.
 */
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"

const script = `
exec 3<&0
scratch=$1
shift
"$@" </dev/null >/dev/null 3<&- &
child=$!
echo "$child"
exec >/dev/null
(
  read -r _ <&3
  kill -TERM "$child" && kill -CONT "$child"
  n=0
  while kill -0 "$child" && [ "$n" -lt 50 ]; do sleep 0.1; n=$((n + 1)); done
  kill -KILL "$child"
) 2>/dev/null &
watcher=$!
exec 3<&-
wait "$child"
code=$?
kill "$watcher" 2>/dev/null
[ -z "$scratch" ] || rm -rf -- "$scratch"
exit "$code"
`

/** A running guard. `process` is the shell, which exits with the child; `release` ends the child. */
export interface Guarded {
  readonly process: ChildProcess
  /** Process id of the child itself. Rejects when it could not be started. */
  readonly pid: Promise<number>
  readonly release: () => void
  /** The last 4,000 characters that the child has written to standard error. */
  readonly complaints: () => string
}

/**
 * Starts `command` under a guard. The child's standard output is discarded. The folder `scratch` (none when empty) is
 * removed after the child's end.
 */
export const spawnGuarded = (command: string, args: ReadonlyArray<string>, scratch = ""): Guarded => {
  const child = spawn("/bin/sh", ["-c", script, "guard", scratch, command, ...args], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"]
  })
  let complaints = ""
  child.stderr.on("data", (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-4000)
  })
  child.stdin.on("error", () => {})
  const pid = new Promise<number>((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", () => reject(new Error("the guard ended at once")))
    child.stdout.once("data", (chunk: Buffer) => resolve(Number.parseInt(chunk.toString(), 10)))
  })
  pid.catch(() => {})
  return { process: child, pid, release: () => child.stdin.end(), complaints: () => complaints }
}

/** Completes when the guard has ended, which it does after the chain. */
export const ended = (guarded: Guarded): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.void)
    if (guarded.process.exitCode !== null || guarded.process.signalCode !== null) return done()
    guarded.process.once("exit", done)
    return Effect.sync(() => guarded.process.off("exit", done))
  })
