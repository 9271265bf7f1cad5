/**
 * The end of every test run: how many cases and counted things (kills, inputs, …) ran, one conspicuous line for each
 * capability that the machine lacks, and a plain closing line. Guarantee: where CI_NO_SKIPS=1, a run with any skipped
 * case fails, however the case was skipped. It adds to Vitest's default reporter and does not replace it.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Reporter, TestModule } from "vitest/node"
import { skipsFail } from "./Capability.ts"
import { TALLY_FOLDER } from "./Tally.ts"

const lines = (path: string): ReadonlyArray<string> => {
  try {
    return readFileSync(path, "utf8").split("\n").filter((line) => line !== "")
  } catch {
    return []
  }
}

/** Sums lines of the form `<whole number> <counter>`. */
export const sumTally = (reports: ReadonlyArray<string>): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const line of reports) {
    const match = /^(-?\d+) (.+)$/.exec(line)
    if (match?.[1] === undefined || match[2] === undefined) continue
    sums.set(match[2], (sums.get(match[2]) ?? 0n) + BigInt(match[1]))
  }
  return sums
}

type Counts = { passed: number; failed: number; skipped: number }

const countCases = (modules: ReadonlyArray<TestModule>): Counts => {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 }
  for (const module of modules) {
    let failedHere = 0
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === "passed") counts.passed += 1
      else if (state === "failed") failedHere += 1
      else counts.skipped += 1
    }
    // A file that does not load has no case, and a suite whose hook fails has no failed case; each counts as one
    // failure.
    counts.failed += failedHere === 0 && module.state() === "failed" ? 1 : failedHere
  }
  return counts
}

/** The variable that names a file to which a run writes its failed suites, one per line. CI repeats some of them. */
export const FAILED_SUITES = "CAUSEWAY_FAILED_SUITES"

const noteFailed = (modules: ReadonlyArray<TestModule>, hasUnhandled: boolean): void => {
  const file = process.env[FAILED_SUITES]
  if (file === undefined || file === "") return
  const failed = modules.filter((module) => module.state() === "failed").map(({ relativeModuleId }) => relativeModuleId)
  appendFileSync(
    file,
    [...failed, ...(hasUnhandled ? ["an error of no suite"] : [])].map((line) => `${line}\n`).join("")
  )
}

export const tallyReporter = (
  write: (line: string) => void = (line) => process.stdout.write(`${line}\n`)
): Reporter => {
  let folder = ""
  const discard = () => {
    if (folder !== "") rmSync(folder, { recursive: true, force: true })
  }
  return {
    onInit: () => {
      folder = mkdtempSync(join(tmpdir(), "causeway-tally-"))
      process.env[TALLY_FOLDER] = folder
      process.once("exit", discard)
    },
    // In watch mode one reporter sees many runs.
    onTestRunStart: () => {
      for (const file of ["tally", "skips"]) rmSync(join(folder, file), { force: true })
      const failed = process.env[FAILED_SUITES]
      if (failed !== undefined && failed !== "") writeFileSync(failed, "")
    },
    onTestRunEnd: (modules, unhandledErrors) => {
      const counts = countCases(modules)
      noteFailed(modules, unhandledErrors.length > 0)
      const sums = sumTally(lines(join(folder, "tally")))
      const skips = [...new Set(lines(join(folder, "skips")))].toSorted()
      const inputs = sums.get("inputs") ?? 0n
      const kills = sums.get("kills") ?? 0n
      const others = [...sums].filter(([name]) => name !== "inputs" && name !== "kills")
      const cases = BigInt(counts.passed + counts.failed)
      const all: ReadonlyArray<readonly [string, bigint]> = [
        ["cases", cases],
        ["kills", kills],
        ["inputs", inputs],
        ...others
      ]
      const counted = all.map(([name, count]) => `${count.toLocaleString("en-US")} ${name}`)
      write("")
      for (const line of skips) write(line)
      write(`Ran ${counted.join(", ")}`)
      if (skipsFail && counts.skipped > 0) {
        write(`FAILED: ${counts.skipped} skipped, and a skip is a failure here (CI_NO_SKIPS=1)`)
        process.exitCode = 1
      }
      write(`${counts.passed} passed, ${counts.failed + unhandledErrors.length} failed, ${counts.skipped} skipped`)
    }
  }
}
