/** Runs Vitest in Vitest: when docs/families.md fails a run, when a run writes it, and what it ignores. */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { vmFamilies } from "../../src/domain/chain/VmFamily.ts"
import { unshown } from "../docs/FamiliesPage.ts"

const root = join(import.meta.dirname, "../..")
const module = (name: string) => JSON.stringify(join(import.meta.dirname, `${name}.ts`))
const CONFIG = `
import { familiesReporter } from ${module("FamiliesReporter")}
import { tallyReporter } from ${module("TallyReporter")}
export default { test: { include: ["*.test.ts"], reporters: [familiesReporter({ page: "families.md", root: import.meta.dirname }), tallyReporter()] } }
`
const HEAD = `
import { describe, it } from "vitest"
import { shows } from ${module("Shows")}
`

/** A separate tree, below ours so that it finds our packages. */
const inTree = (
  body: (tree: {
    readonly write: (file: string, text: string) => void
    readonly page: () => string
    readonly run: (
      wanted?: ReadonlyArray<string>,
      env?: Record<string, string>
    ) => { readonly told: ReadonlyArray<string>; readonly failed: boolean; readonly repeatable: string }
  }) => void
): void => {
  mkdirSync(join(root, ".causeway"), { recursive: true })
  const folder = mkdtempSync(join(root, ".causeway/families-test-"))
  const at = (file: string) => join(folder, file)
  try {
    writeFileSync(at("vitest.config.ts"), CONFIG)
    body({
      write: (file, text) => writeFileSync(at(file), HEAD + text),
      page: () => existsSync(at("families.md")) ? readFileSync(at("families.md"), "utf8") : "",
      run: (wanted = [], env = {}) => {
        const { status, stdout } = spawnSync(process.execPath, [
          join(root, "node_modules/vitest/vitest.mjs"),
          "run",
          // Bundling the configuration would take longer than the rest.
          "--configLoader",
          "native",
          "--root",
          folder,
          ...wanted
        ], {
          encoding: "utf8",
          env: { PATH: process.env["PATH"], HOME: process.env["HOME"], CAUSEWAY_FAILED_SUITES: at("failed"), ...env }
        })
        return {
          told: stdout.split("\n").filter((line) => line.includes("families.md")),
          failed: status !== 0,
          repeatable: readFileSync(at("failed"), "utf8")
        }
      }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const WRITE = { CAUSEWAY_FAMILIES: "write" }
/** A suite that shows everything that has to be shown. */
const everything = (families: ReadonlyArray<string>) =>
  unshown([]).filter(({ family }) => families.includes(family))
    .map(({ column, family }) => `it("${column} of ${family}", shows("${family}", "${column}"), () => undefined)`).join(
      "\n"
    )
const [first = "", ...others] = vmFamilies

describe("docs/families.md, from the results of a run", () => {
  it(
    "is written by a run that shows every cell, and is then valid for the whole run and for no part",
    () =>
      inTree(({ page, run, write }) => {
        write("one.test.ts", everything([first]))
        write(
          "others.test.ts",
          `${
            everything(others)
          }\ndescribe("a suite", shows("${first}", "reorg"), () => {\n  it("of one", () => undefined)\n  it("and another", () => undefined)\n})`
        )
        assert.deepStrictEqual([run(["one"], WRITE).failed, page()], [true, ""])
        assert.deepStrictEqual(run([], WRITE).told, ["families.md is written"])
        assert.include(page(), `- deposit: deposit of ${first} ([one](../one.test.ts))`)
        assert.include(page(), `- reorg: a suite ([others](../others.test.ts))`)
        assert.notInclude(page(), "and another")
        assert.deepStrictEqual(run(), { told: [], failed: false, repeatable: "" })

        // A changed name, in a run of some suites and in a run of all.
        write("one.test.ts", everything([first]).replace("deposit of", "deposit as of"))
        assert.deepStrictEqual(run(["one"]).told, [])
        const stale = run()
        assert.deepStrictEqual([stale.told.length, stale.failed, stale.repeatable], [1, true, "families.md\n"])
        const kept = page()
        assert.include(run(["one"], WRITE).told[0], "is left as it is: others.test.ts did not run")
        assert.strictEqual(page(), kept)
        assert.isFalse(run([], WRITE).failed)
        assert.isFalse(run().failed)
      }),
    300_000
  )

  it(
    "rejects a cell whose test failed, was skipped or is gone; what failed alone can be repeated",
    () =>
      inTree(({ page, run, write }) => {
        const all = everything(vmFamilies)
        write("all.test.ts", all)
        run([], WRITE)
        const kept = page()
        write("all.test.ts", all.replace("() => undefined", "() => { throw new Error('broken') }"))
        const broken = run([], WRITE)
        assert.deepStrictEqual([broken.failed, broken.repeatable, page()], [true, "all.test.ts\n", kept])
        assert.include(broken.told[0], "did not pass")
        write("all.test.ts", all.replace("it(", "it.skip("))
        assert.deepStrictEqual([run().failed, run([], WRITE).failed, page()], [true, true, kept])
        write("all.test.ts", all.split("\n").slice(1).join("\n"))
        const gone = run()
        assert.isTrue(gone.failed)
        assert.include(gone.told[0], `${first}, deposit: no test shows it`)
        // One of several tests in a suite that declares a cell as a whole.
        write(
          "all.test.ts",
          `${all}\ndescribe("a suite", shows("${first}", "reorg"), () => {\n  it("of one", () => undefined)\n  it.skip("and another", () => undefined)\n})`
        )
        assert.isTrue(run([], WRITE).failed)
        assert.strictEqual(page(), kept)
      }),
    300_000
  )
})
