/** Pins processes to one core each, so that a server does not share its core with the load generator. */
import { spawn, spawnSync } from "node:child_process"
import type { ChildProcess } from "node:child_process"

/** Not every system has taskset. Without it the kernel decides, and the figures are less reliable. */
export const canPin = spawnSync("taskset", ["-c", "0", "true"]).status === 0

/** The core of the measured server, and the core of everything else. */
export const MEASURED_CORE = 0
const OTHER_CORE = 1

/** Moves this process, and by default its children, to the other core. */
export const moveAside = (): void => {
  if (canPin) spawnSync("taskset", ["-a", "-p", "-c", `${OTHER_CORE}`, `${process.pid}`])
}

const START_MS = 60_000

export interface PinnedOptions {
  readonly core?: number
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Starts a Node program on a core, and waits until it has printed `ready` on stdout or stderr. */
export const startPinned = (
  program: string,
  args: ReadonlyArray<string>,
  ready: string,
  options: PinnedOptions = {}
): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const { core = OTHER_CORE, environment = {}, input } = options
    const node = [process.execPath, program, ...args]
    const [command = "", ...rest] = canPin ? ["taskset", "-c", `${core}`, ...node] : node
    const child = spawn(command, rest, {
      env: { PATH: process.env["PATH"] ?? "", ...environment },
      stdio: ["pipe", "pipe", "pipe"]
    })
    let output = ""
    const late = setTimeout(() => {
      child.kill("SIGKILL")
      reject(new Error(`${program} did not say "${ready}" within ${START_MS} ms:\n${output}`))
    }, START_MS)
    const heard = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000)
      if (!output.includes(ready)) return
      clearTimeout(late)
      resolve(child)
    }
    child.stdout.on("data", heard)
    child.stderr.on("data", heard)
    child.on("exit", (code) => reject(new Error(`${program} ended with ${code}:\n${output}`)))
    child.stdin.end(input ?? "")
  })

/** Ends a program that `startPinned` started, and waits for its exit. */
export const stopPinned = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null) return resolve()
    child.removeAllListeners("exit")
    child.once("exit", () => resolve())
    child.kill("SIGTERM")
  })
