/**
 * Programs that a machine may lack (PostgreSQL, Redis, Chromium, clang, promtool). Suites that need them are skipped
 * with one conspicuous line at the end of the run, or fail where CI_NO_SKIPS=1 makes a skip a failure. Not for leaving
 * out tests that fail.
 */
import { accessSync, constants, readdirSync, statSync } from "node:fs"
import { delimiter, join } from "node:path"
import { report } from "./Tally.ts"

/** True where every suite has to run (.ci/run installs what suites need). */
export const skipsFail: boolean = process.env["CI_NO_SKIPS"] === "1"

/**
 * Announces once that suites of `name` do not run, and why; the caller then skips them. Under CI_NO_SKIPS=1 it throws,
 * which fails the calling test file.
 */
export const announceSkip = (name: string, why: string): void => {
  const line = `SKIPPED: ${name}: ${why}`.replaceAll(/\s+/g, " ")
  if (skipsFail) throw new Error(`${line} (a skip is a failure here: CI_NO_SKIPS=1)`)
  if (!report("skips", line)) process.stderr.write(`${line}\n`)
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const folders = (parent: string): ReadonlyArray<string> => {
  try {
    return readdirSync(parent)
  } catch {
    return []
  }
}

/** The folders in which Debian keeps PostgreSQL's server programs, newest version first. */
const postgresFolders = (): ReadonlyArray<string> =>
  [...folders("/usr/lib/postgresql")]
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join("/usr/lib/postgresql", version, "bin"))

/** The path of a program: in PATH, then `elsewhere`, then /usr/local/bin; undefined if it is in none. */
export const findBinary = (name: string, elsewhere: ReadonlyArray<string> = []): string | undefined =>
  [...(process.env["PATH"] ?? "").split(delimiter), ...elsewhere, "/usr/local/bin"]
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable)

/** PostgreSQL's server programs, both from one place, or undefined after `announceSkip`. */
export const requirePostgres = (): { readonly initdb: string; readonly pgCtl: string } | undefined => {
  const initdb = findBinary("initdb", postgresFolders())
  const pgCtl = findBinary("pg_ctl", postgresFolders())
  if (initdb !== undefined && pgCtl !== undefined) return { initdb, pgCtl }
  announceSkip(
    "PostgreSQL",
    "initdb and pg_ctl are neither in PATH nor in /usr/lib/postgresql/*/bin (Debian: apt-get install postgresql)"
  )
  return undefined
}

/** Redis's server program, or undefined after `announceSkip`. */
export const requireRedis = (): string | undefined => {
  const program = findBinary("redis-server")
  if (program === undefined) announceSkip("Redis", "redis-server is not in PATH (Debian: apt-get install redis-server)")
  return program
}

/** The compiler of the Solana program, or undefined after `announceSkip`. */
export const requireClang = (): string | undefined => {
  const program = findBinary("clang-19")
  if (program === undefined) announceSkip("clang", "clang-19 is not in PATH (Debian: apt-get install clang-19)")
  return program
}

/** Chromium's program, or undefined after `announceSkip`. */
export const requireChromium = (): string | undefined => {
  const program = findBinary("chromium") ?? findBinary("chromium-browser")
  if (program === undefined) announceSkip("Chromium", "chromium is not in PATH (Debian: apt-get install chromium)")
  return program
}

/** Prometheus's tool, or undefined after `announceSkip`. */
export const requirePromtool = (): string | undefined => {
  const program = findBinary("promtool")
  if (program === undefined) announceSkip("promtool", "promtool is not in PATH (Debian: apt-get install prometheus)")
  return program
}

/** The server, or undefined after `announceSkip`. */
export const requirePrometheus = (): string | undefined => {
  const program = findBinary("prometheus")
  if (program === undefined) {
    announceSkip("Prometheus", "prometheus is not in PATH (Debian: apt-get install prometheus)")
  }
  return program
}
