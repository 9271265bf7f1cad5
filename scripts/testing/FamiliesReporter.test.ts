/** Runs Vitest in Vitest: when docs/families.md fails a run, when a run writes it, and what it ignores. */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestModule } from "vitest/node"
import { vmFamilies } from "../../src/domain/chain/VmFamily.ts"
import { unshown, unshownPairs } from "../docs/FamiliesPage.ts"
import { familiesReporter } from "./FamiliesReporter.ts"
import type { Cell, Pair } from "./Shows.ts"

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
/** A test of a file, with what it shows and how it ended. */
interface Case {
  readonly name: string
  readonly cells: ReadonlyArray<Cell>
  readonly pair?: Pair
  readonly state?: "passed" | "failed" | "skipped"
}

/** A test for each cell that has to be shown. */
const everything = (families: ReadonlyArray<string>): ReadonlyArray<Case> =>
  unshown([]).filter(({ family }) => families.includes(family)).map(({ column, family }) => ({
    name: `${column} of ${family}`,
    cells: [{ column, family }]
  }))

/** The same as the text of a suite. */
const textOf = (cases: ReadonlyArray<Case>) =>
  cases.flatMap(({ cells, name }) =>
    cells.map(({ column, family }) => `it("${name}", shows("${family}", "${column}"), () => undefined)`)
  ).join("\n")

const [first = "", ...others] = vmFamilies

const caseOf = ({ cells, name, pair, state = "passed" }: Case) => ({
  type: "test",
  name,
  meta: () => ({ shows: cells, ...(pair === undefined ? {} : { pair }) }),
  result: () => ({ state })
})

/** A suite whose tests show together what it declares. */
interface Suite {
  readonly suite: string
  readonly cells: ReadonlyArray<Cell>
  readonly states: ReadonlyArray<"passed" | "skipped">
}

const suiteOf = ({ cells, states, suite }: Suite) => {
  const tests = states.map((state, index) => caseOf({ name: `${index}`, cells, state }))
  return {
    type: "suite",
    name: suite,
    meta: () => ({ shows: cells }),
    children: Object.assign([...tests], { allTests: () => tests })
  }
}

/** The end of a run as Vitest reports it, with the parts that the reporter reads. */
const moduleOf = (file: string, content: ReadonlyArray<Case | Suite>) =>
  ({
    relativeModuleId: file,
    children: content.map((each) => "suite" in each ? suiteOf(each) : caseOf(each))
  }) as unknown as TestModule

/** What a reporter says at the end of such a run, over a page that may be out of date. */
const atEnd = (root: string, files: Readonly<Record<string, ReadonlyArray<Case | Suite>>>, writes: boolean) => {
  const told: Array<string> = []
  const failures = join(root, "failures")
  writeFileSync(failures, "")
  const before = { families: process.env["CAUSEWAY_FAMILIES"], failed: process.env["CAUSEWAY_FAILED_SUITES"] }
  const restored = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  restored("CAUSEWAY_FAMILIES", writes ? "write" : undefined)
  process.env["CAUSEWAY_FAILED_SUITES"] = failures
  const code = process.exitCode
  process.exitCode = 0
  try {
    const reporter = familiesReporter({ page: "families.md", root, write: (line) => told.push(line) })
    const modules = Object.entries(files).map(([file, content]) => moduleOf(file, content))
    void reporter.onTestRunEnd?.(modules, [], "passed")
    return { told, failed: process.exitCode !== 0, repeatable: readFileSync(failures, "utf8") }
  } finally {
    process.exitCode = code
    restored("CAUSEWAY_FAMILIES", before.families)
    restored("CAUSEWAY_FAILED_SUITES", before.failed)
  }
}

/** A folder with the page that a run of these suites has written. */
const withPage = (
  files: Readonly<Record<string, ReadonlyArray<Case | Suite>>>,
  body: (root: string, page: () => string) => void
) => {
  const folder = mkdtempSync(join(tmpdir(), "causeway-families-"))
  try {
    for (const file of Object.keys(files)) writeFileSync(join(folder, file), "")
    assert.deepStrictEqual(atEnd(folder, files, true).told, ["families.md is written"])
    body(folder, () => readFileSync(join(folder, "families.md"), "utf8"))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("docs/families.md, from the results of a run", () => {
  it(
    "is written by Vitest's run of the suites that show every cell, and is then valid",
    () =>
      inTree(({ page, run, write }) => {
        write("one.test.ts", textOf(everything([first])))
        write(
          "others.test.ts",
          `${
            textOf(everything(others))
          }\ndescribe("a suite", shows("${first}", "reorg"), () => {\n  it("of one", () => undefined)\n  it("and another", () => undefined)\n})`
        )
        assert.deepStrictEqual(run([], WRITE).told, ["families.md is written"])
        assert.include(page(), `- deposit: deposit of ${first} ([one](../one.test.ts))`)
        assert.include(page(), `- reorg: a suite ([others](../others.test.ts))`)
        assert.notInclude(page(), "and another")
        assert.deepStrictEqual(run(), { told: [], failed: false, repeatable: "" })
        write(
          "one.test.ts",
          textOf(everything([first])).replace("() => undefined", "() => { throw new Error('broken') }")
        )
        assert.isTrue(run().failed)
      }),
    300_000
  )

  it("is compared and written by a run of all suites that it names, and by no part of them", () => {
    const one = everything([first])
    const rest = { "others.test.ts": everything(others) }
    withPage({ "one.test.ts": one, ...rest }, (root, page) => {
      const renamed = one.map((each) => ({ ...each, name: each.name.replace("deposit of", "deposit as of") }))
      const kept = page()
      assert.deepStrictEqual(atEnd(root, { "one.test.ts": renamed }, false).told, [])
      const part = atEnd(root, { "one.test.ts": renamed }, true)
      assert.deepStrictEqual([part.failed, page()], [false, kept])
      assert.include(part.told[0], "is left as it is: others.test.ts did not run")
      const stale = atEnd(root, { "one.test.ts": renamed, ...rest }, false)
      assert.deepStrictEqual([stale.told.length, stale.failed, stale.repeatable, page()], [
        1,
        true,
        "families.md\n",
        kept
      ])
      assert.isFalse(atEnd(root, { "one.test.ts": renamed, ...rest }, true).failed)
      assert.include(page(), "deposit as of")
      assert.deepStrictEqual(atEnd(root, { "one.test.ts": renamed, ...rest }, false), {
        told: [],
        failed: false,
        repeatable: ""
      })
    })
  })

  it("rejects a cell whose test failed, was skipped or is gone; what failed alone can be repeated", () => {
    const all = everything(vmFamilies)
    withPage({ "all.test.ts": all }, (root, page) => {
      const kept = page()
      const rejected = (content: ReadonlyArray<Case | Suite>, writes: boolean) => {
        const end = atEnd(root, { "all.test.ts": content }, writes)
        assert.deepStrictEqual([end.failed, page()], [true, kept])
        return end
      }
      const ending = (state: "failed" | "skipped") => all.map((each, index) => index === 0 ? { ...each, state } : each)
      for (const writes of [true, false]) {
        const broken = rejected(ending("failed"), writes)
        assert.strictEqual(broken.repeatable, "")
        assert.include(broken.told[0], "did not pass")
        rejected(ending("skipped"), writes)
      }
      assert.include(rejected(all.slice(1), false).told[0], `${first}, deposit: no test shows it`)
      const cells = [{ column: "reorg", family: first }] as const
      // One of several tests in a suite that declares a cell as a whole.
      rejected([...all, { suite: "a suite", cells, states: ["passed", "skipped"] }], true)
    })
  })

  it("has a cell for each pair, from its tests alone: none is empty, and none whose test failed is written", () => {
    const all = everything(vmFamilies)
    const paid = (from: string, to: string, moved = "A → B"): Case => ({
      name: `${from} to ${to}`,
      cells: [],
      pair: { from, to, says: { moved } }
    })
    const one = { file: "pairs.test.ts", pair: { from: first, to: first, says: { moved: "" } } } as const
    const pairs = [
      paid(first, first),
      ...unshownPairs([one]).map((pair) => {
        const [from = "", to = ""] = pair.split(" → ")
        return paid(from, to)
      })
    ]
    assert.isAbove(pairs.length, vmFamilies.length)
    const given = (changed: ReadonlyArray<Case>) => ({ "all.test.ts": all, "pairs.test.ts": changed })
    withPage(given(pairs), (root, page) => {
      const row = page().split("\n").find((line) => line.startsWith(`| **${first}** |`) && line.includes("A → B")) ?? ""
      assert.strictEqual(row.split("A → B").length - 1, pairs.filter(({ pair }) => pair?.from === first).length)
      assert.notInclude(page(), "**nothing**")
      const reason = { from: first, to: first, says: { lacks: "one chain" } } as const
      assert.isFalse(atEnd(root, given([...pairs, { name: "lacks", cells: [], pair: reason }]), true).failed)
      assert.include(page(), "A → B<br>– one chain")
      const kept = page()
      const gone = atEnd(root, given(pairs.slice(1)), true)
      assert.include(gone.told.join(), `${first} → ${first}: no test shows it`)
      const [broken, ...whole] = pairs
      const failed = atEnd(
        root,
        given([...broken === undefined ? [] : [{ ...broken, state: "failed" as const }], ...whole]),
        true
      )
      assert.include(failed.told.join(), "did not pass")
      assert.deepStrictEqual([gone.failed, failed.failed, page()], [true, true, kept])
    })
  })
})
