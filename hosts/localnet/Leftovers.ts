/**
 * Chains that an earlier run of the same folder left behind.
 *
 * A guard ends them with their parent (chains/Guard.ts); this is for the case
 * that the guard was killed too. A process is ours when it is an anvil that
 * writes to our own state file, and nothing else is ever touched. Call it only
 * under the run lock.
 */
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import type { Paths } from "./Paths.ts"
import { slugs } from "./Slug.ts"

const wordsOf = (pid: string): ReadonlyArray<string> => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
  } catch {
    return []
  }
}

/** Process ids of the anvils that use the state files of this folder. */
export const find = (paths: Paths): Effect.Effect<ReadonlyArray<number>> =>
  Effect.sync(() => {
    const files = new Set(slugs.map(paths.chain))
    return readdirSync("/proc")
      .filter((name) => /^[0-9]+$/.test(name))
      .filter((name) => {
        const [command = "", ...words] = wordsOf(name)
        return basename(command) === "anvil" && words.some((word) => files.has(word))
      })
      .map(Number)
  })

const end = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself, which is what was wanted.
  }
}

/** Ends them: SIGTERM, so that they save their state, and SIGKILL after 3 s. Gives the ids of those found. */
export const clear = Effect.fn("Leftovers.clear")(function*(paths: Paths) {
  const found = yield* find(paths)
  let left = found
  for (const pid of left) end(pid, "SIGTERM")
  for (let waited = 0; left.length > 0 && waited < 3000; waited += 50) {
    yield* Effect.sleep(50)
    left = yield* find(paths)
  }
  for (const pid of left) end(pid, "SIGKILL")
  while (left.length > 0) {
    yield* Effect.sleep(20)
    left = yield* find(paths)
  }
  return found
})
