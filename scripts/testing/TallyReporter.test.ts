/** Runs Vitest in Vitest: what a run prints at its end, and its exit code. */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")
const CONFIG = `
import { stallReporter } from ${JSON.stringify(join(import.meta.dirname, "StallReporter.ts"))}
import { tallyReporter } from ${JSON.stringify(join(import.meta.dirname, "TallyReporter.ts"))}
export default { test: { include: ["*.test.ts"], reporters: [tallyReporter(), stallReporter({ silence: 500, suite: 2_000 })] } }
`
const HEAD = `
import { it } from "vitest"
import { announceSkip } from ${JSON.stringify(join(import.meta.dirname, "Capability.ts"))}
import { inputs, tally } from ${JSON.stringify(join(import.meta.dirname, "Tally.ts"))}
`

/** Runs test files with these bodies, below the tree so that they find its packages. */
const runOf = (bodies: ReadonlyArray<string>, env: Record<string, string> = {}) => {
  mkdirSync(join(root, ".causeway"), { recursive: true })
  const folder = mkdtempSync(join(root, ".causeway/reporter-test-"))
  try {
    writeFileSync(join(folder, "vitest.config.ts"), CONFIG)
    bodies.forEach((body, index) => writeFileSync(join(folder, `${index}.test.ts`), HEAD + body))
    const { stdout, status } = spawnSync(process.execPath, [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      // Bundling the configuration would take longer than the rest.
      "--configLoader",
      "native",
      "--root",
      folder
    ], {
      encoding: "utf8",
      timeout: 60_000,
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env }
    })
    return { lines: stdout.trim().split("\n"), status }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const passing = "it('a', () => { tally('kills', 2); inputs(1500) })\n"

describe("the end of a test run", () => {
  it("reports cases, kills and inputs of all files, each missing capability once, and ends with a plain line", () => {
    const lacking = "announceSkip('Chromium', 'not in PATH')\nit.skip('b', () => undefined)\n"
    const { lines, status } = runOf([passing, passing + lacking, lacking])
    assert.deepStrictEqual(lines.slice(-3), [
      "SKIPPED: Chromium: not in PATH",
      "Ran 2 cases, 4 kills, 750 inputs",
      "2 passed, 0 failed, 2 skipped"
    ])
    assert.strictEqual(status, 0)
  })

  it("scales inputs in a long run", () => {
    const { lines } = runOf([passing, "it('c', () => { inputs(1, 3) })\n"], { CAUSEWAY_LONG: "1" })
    assert.strictEqual(lines.at(-2), "Ran 2 cases, 2 kills, 7,503 inputs")
  })

  it("counts a failing case, and a file that does not load", () => {
    const { lines, status } = runOf([passing, "it('d', () => { throw new Error('d') })\n", "throw new Error('e')\n"])
    assert.strictEqual(lines.at(-1), "1 passed, 2 failed, 0 skipped")
    assert.notStrictEqual(status, 0)
  })

  it("names the suites that failed, so that they can be repeated", () => {
    const folder = mkdtempSync(join(tmpdir(), "causeway-failed-test-"))
    try {
      const failed = join(folder, "failed")
      const told = (bodies: ReadonlyArray<string>) => {
        runOf(bodies, { CAUSEWAY_FAILED_SUITES: failed })
        return readFileSync(failed, "utf8")
      }
      assert.strictEqual(told([passing]), "")
      assert.strictEqual(
        told([passing, "it('d', () => { throw new Error('d') })\n", "throw new Error('e')\n"]),
        "1.test.ts\n2.test.ts\n"
      )
      assert.strictEqual(
        told([
          "it('f', () => { setTimeout(() => { throw new Error('f') }); return new Promise((done) => setTimeout(done, 50)) })\n"
        ]),
        "an error of no suite\n"
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("names a suite that hangs, and ends the run where no test timeout can", () => {
    const folder = mkdtempSync(join(tmpdir(), "causeway-failed-test-"))
    try {
      const failed = join(folder, "failed")
      const toldOf = (body: string) => {
        const { lines, status } = runOf([passing, body], { CAUSEWAY_FAILED_SUITES: failed })
        assert.strictEqual(lines.at(-1), "FAILED: nothing runs any more but what hangs: 1.test.ts")
        assert.strictEqual(status, 1)
        assert.match(readFileSync(failed, "utf8"), /^1\.test\.ts\n/)
        return lines
      }
      assert.isTrue(
        toldOf("it('g', () => new Promise(() => undefined), 600_000)\n").some((line) =>
          /^\.\.\. 1\.test\.ts has run for \d+ s, in "g"$/.test(line)
        )
      )
      toldOf("it('h', () => { for (;;); })\n")
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("fails a run with a skipped case where skips are failures", () => {
    const { lines, status } = runOf([`${passing}it.skip('b', () => undefined)\n`], { CI_NO_SKIPS: "1" })
    assert.include(lines.at(-2), "a skip is a failure")
    assert.strictEqual(lines.at(-1), "1 passed, 0 failed, 1 skipped")
    assert.notStrictEqual(status, 0)
  })

  it("fails a file with a missing capability where skips are failures", () => {
    const { status } = runOf([`${passing}announceSkip('Chromium', 'not in PATH')\n`], { CI_NO_SKIPS: "1" })
    assert.notStrictEqual(status, 0)
  })
})
