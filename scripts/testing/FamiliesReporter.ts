/**
 * Keeps docs/families.md equal to what the tests have shown. A run of all suites that the page names fails when the
 * page says anything else, or when a cell has no test that passed. With CAUSEWAY_FAMILIES=write (`npm run families`) it
 * writes the page.
 *
 * Guarantee: a run of fewer suites neither fails because of the page nor writes it. A test that fails, and passes when
 * CI repeats it, is a failure of its own suite only. A page that is out of date is a failure that no repetition
 * removes.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node"
import { familiesPage, filesOf, type Shown, type ShownPair, unshown, unshownPairs } from "../docs/FamiliesPage.ts"
import type { Cell } from "./Shows.ts"
import { FAILED_SUITES } from "./TallyReporter.ts"

/** The variable that makes a run write the page instead of comparing it. */
const FAMILIES = "CAUSEWAY_FAMILIES"

interface Declared extends Shown {
  readonly passed: boolean
}

const declaredBy = (node: TestCase | TestSuite): ReadonlyArray<Cell> => node.meta().shows ?? []
const hasPassed = (test: TestCase): boolean => test.result().state === "passed"

/** The declarations of a file's tests and suites. A test has its suite's declaration, unless it has one of its own. */
const declarationsOf = (module: TestModule): ReadonlyArray<Declared> => {
  const visit = (nodes: Iterable<TestCase | TestSuite>, inherited: string): ReadonlyArray<Declared> =>
    [...nodes].flatMap((node) => {
      const cells = declaredBy(node)
      const text = JSON.stringify(cells)
      const tests = node.type === "suite" ? [...node.children.allTests()] : [node]
      const passed = tests.length > 0 && tests.every(hasPassed)
      const own = text === inherited
        ? []
        : cells.map((cell) => ({ ...cell, file: module.relativeModuleId, name: node.name, passed }))
      return node.type === "suite" ? [...own, ...visit(node.children, text)] : own
    })
  return visit(module.children, "[]")
}

/** The pairs that a file's tests show. */
const pairsOf = (
  module: TestModule
): ReadonlyArray<ShownPair & { readonly name: string; readonly passed: boolean }> => {
  const visit = (nodes: Iterable<TestCase | TestSuite>): ReturnType<typeof pairsOf> =>
    [...nodes].flatMap((node) => {
      if (node.type === "suite") return visit(node.children)
      const { pair } = node.meta()
      return pair === undefined
        ? []
        : [{ pair, file: module.relativeModuleId, name: node.name, passed: hasPassed(node) }]
    })
  return visit(module.children)
}

export const familiesReporter = (
  { page, root, write = (line) => process.stdout.write(`${line}\n`) }: {
    readonly page: string
    readonly root: string
    readonly write?: (line: string) => void
  }
): Reporter => {
  let isNarrowed = false
  return {
    onInit: ({ config }) => {
      isNarrowed = config.testNamePattern !== undefined
    },
    onTestRunEnd: (modules) => {
      const path = join(root, page)
      const before = existsSync(path) ? readFileSync(path, "utf8") : ""
      const ran = new Set(modules.map(({ relativeModuleId }) => relativeModuleId))
      const declared = modules.flatMap(declarationsOf)
      const away = filesOf(before).filter((file) => existsSync(join(root, file)) && !ran.has(file))
      const writes = process.env[FAMILIES] === "write"
      if (isNarrowed || away.length > 0 || declared.length === 0) {
        if (writes) write(`${page} is left as it is: ${away.join(", ") || "the tests that declare cells"} did not run`)
        return
      }
      const pairs = modules.flatMap(pairsOf)
      const after = familiesPage(declared, pairs)
      const failed = declared.filter(({ passed }) => !passed).map(({ column, family, file, name }) =>
        `${family}, ${column}: ${name} (${file}) did not pass`
      )
      const missing = unshown(declared).map(({ column, family }) => `${family}, ${column}: no test shows it`)
      const unpaid = pairs.filter(({ passed }) => !passed).map(({ file, name }) => `${name} (${file}) did not pass`)
      const unpaired = unshownPairs(pairs).map((pair) => `${pair}: no test shows it`)
      const problems = [...failed, ...missing, ...unpaid, ...unpaired]
      if (writes && problems.length === 0) {
        writeFileSync(path, after)
        return write(before === after ? `${page} is as it was` : `${page} is written`)
      }
      if (before !== after) {
        problems.push("it says something else than this run has shown: npm run families")
        const failures = process.env[FAILED_SUITES]
        if (failures !== undefined && failures !== "") appendFileSync(failures, `${page}\n`)
      }
      if (problems.length === 0) return
      for (const problem of problems) write(`FAILED: ${page}: ${problem}`)
      process.exitCode = 1
    }
  }
}
