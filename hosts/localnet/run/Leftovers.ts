/**
 * Chains that an earlier run of the same folder left behind.
 *
 * A guard ends them with their parent (nodes/Guard.ts). This is for the case that the guard was killed too. A process
 * is ours when it is an anvil, or one of our Solana, Bitcoin or Tron chains, that writes to our own state file. Nothing
 * else is ever touched. Call it only under the run lock.
 */
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { programPath as bitcoinProgram } from "../nodes/bitcoin/BitcoinProcess.ts"
import { programPath } from "../nodes/solana/SolanaProcess.ts"
import { programPath as tronProgram } from "../nodes/tron/TronProcess.ts"
import { LocalnetError } from "./LocalnetError.ts"
import type { Paths } from "./state/Paths.ts"
import { slugs } from "./Slug.ts"

const wordsOf = (pid: string): ReadonlyArray<string> => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
  } catch {
    return []
  }
}

/** Process ids of the chains that use the state files of this folder. */
export const find = (paths: Paths): Effect.Effect<ReadonlyArray<number>> =>
  Effect.sync(() => {
    const files = new Set([...slugs.map(paths.chain), paths.solana, paths.bitcoin, paths.tron])
    return readdirSync("/proc")
      .filter((name) => /^[0-9]+$/.test(name))
      .filter((name) => {
        const [command = "", ...words] = wordsOf(name)
        const isChain = basename(command) === "anvil" ||
          (basename(command) === "node" &&
            [programPath, bitcoinProgram, tronProgram].some((program) => words.includes(program)))
        return isChain && words.some((word) => files.has(word))
      })
      .map(Number)
  })

const end = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended on its own, as wanted. Or it belongs to another user, which shows when it stays.
  }
}

const gone = Effect.fnUntraced(function*(paths: Paths, milliseconds: number) {
  let left = yield* find(paths)
  for (let waited = 0; left.length > 0 && waited < milliseconds; waited += 50) {
    yield* Effect.sleep(50)
    left = yield* find(paths)
  }
  return left
})

/**
 * Ends them: SIGTERM, so that they save their state, and SIGKILL after 3 s. Returns the ids of those found. Errors: a
 * process that does not end because it belongs to another user.
 */
export const clear = Effect.fn("Leftovers.clear")(
  function*(paths: Paths): Effect.fn.Return<ReadonlyArray<number>, LocalnetError> {
    const found = yield* find(paths)
    if (found.length === 0) return found
    for (const pid of found) end(pid, "SIGTERM")
    for (const pid of yield* gone(paths, 3000)) end(pid, "SIGKILL")
    const left = yield* gone(paths, 3000)
    if (left.length === 0) return found
    return yield* new LocalnetError({
      message: `process ${left.join(", ")} of an earlier run uses ${paths.state} and is not yours to end: end it first`
    })
  }
)
