/** Runs a program under `Watch.ts` in a process of its own: what it printed, how it ended, which modules it loaded. */
import { Schema } from "effect"
import { spawnSync } from "node:child_process"
import { join } from "node:path"

const Modules = Schema.fromJsonString(Schema.Array(Schema.String))

const watch = join(import.meta.dirname, "Watch.ts")

export const runWatched = (args: ReadonlyArray<string>, cwd: string) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--import", watch, ...args], {
    cwd,
    encoding: "utf8"
  })
  const lines = stderr.trimEnd().split("\n")
  const modules = status === 0 ? Schema.decodeUnknownSync(Modules)(lines.at(-1)) : []
  return { status, stdout, stderr, modules }
}
