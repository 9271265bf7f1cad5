/**
 * `npm run container`: builds the oracle's image in a folder, without an engine, and runs it as its user with this
 * environment until it is told to end. `npm run container -- --build-only FOLDER` only builds.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "./container/Build.ts"
import { parseDockerfile } from "./container/Dockerfile.ts"
import { start } from "./container/Start.ts"

const root = join(import.meta.dirname, "..")
const stages = parseDockerfile(readFileSync(join(root, "hosts/oracle/Dockerfile"), "utf8"))

const [flag, folder] = process.argv.slice(2)
if (flag === "--build-only" && folder !== undefined) {
  mkdirSync(folder, { recursive: true })
  process.stdout.write(`built in ${build(stages, root, folder).root}\n`)
} else if (flag !== undefined) {
  throw new Error("npm run container [-- --build-only FOLDER]")
} else {
  const temporary = mkdtempSync(join(tmpdir(), "causeway-container-"))
  const environment = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name === "PATH" ? [] : [[name, value]]
    )
  )
  const running = start(build(stages, root, temporary), environment, "inherit")
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => running.kill("SIGTERM"))
  running.on("exit", (code, signal) => {
    rmSync(temporary, { recursive: true, force: true })
    process.exitCode = code ?? (signal === null ? 1 : 130)
  })
}
