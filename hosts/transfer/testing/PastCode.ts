/** The program at an earlier commit, from git's own store, with today's packages. For tests of upgrades. */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { announceSkip } from "../../../scripts/testing/Capability.ts"

const root = join(import.meta.dirname, "../../..")

const git = (...args: ReadonlyArray<string>): string | undefined => {
  try {
    return execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return undefined
  }
}

/**
 * The commit in CAUSEWAY_UPGRADE_FROM, or else the last release before this commit, or else the previous commit.
 * Undefined, with a message, when there is no history.
 */
export const requirePastCommit = (): string | undefined => {
  const named = process.env["CAUSEWAY_UPGRADE_FROM"] ??
    git("describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD~1")
  const past = git("rev-parse", "--verify", `${named ?? "HEAD~1"}^{commit}`)
  if (past === undefined) {
    announceSkip("upgrade from the commit before", "this folder has no git history that reaches back to it")
  }
  return past
}

/** A folder with the whole program at that commit, removed with the scope. */
export const checkOut = (commit: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "causeway-past-"))
      // Not `git worktree`, which would leave traces in the repository when a run is killed.
      execFileSync("/bin/sh", ["-c", `git -C "$1" archive "$2" | tar -x -C "$3"`, "sh", root, commit, folder])
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
