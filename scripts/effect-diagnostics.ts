/**
 * Runs Effect's diagnostics over the project, or over the arguments (`--file PATH`). The package ships its compiler
 * without execute permission, and its script that would grant it does not run (`ignore-scripts`).
 */
import { spawnSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname, "..")
const { resolve } = createRequire(import.meta.url)
const compilers = dirname(
  createRequire(resolve("@effect/tsgo/package.json")).resolve(`@effect/tsgo-linux-${process.arch}/package.json`)
)
chmodSync(join(compilers, "lib/tsc"), 0o755)

const { status } = spawnSync(join(root, "node_modules/.bin/effect-tsgo"), [
  "diagnostics",
  ...(process.argv.length > 2 ? process.argv.slice(2) : ["--project", "tsconfig.json", "--severity", "error,warning"]),
  "--strict",
  "--format",
  "text"
], { cwd: root, stdio: "inherit" })
process.exitCode = status ?? 1
