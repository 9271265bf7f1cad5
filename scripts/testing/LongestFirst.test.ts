import { assert, describe, it } from "@effect/vitest"
import { globSync } from "node:fs"
import { join } from "node:path"
import { LONGEST } from "./LongestFirst.ts"

const root = join(import.meta.dirname, "../..")

describe("the longest suites", () => {
  it("are each one suite of the tree", () => {
    const suites = globSync("{src,ports,adapters,hosts,property-tests,scripts,examples}/**/*.test.ts", { cwd: root })
    const found = LONGEST.map((name) => suites.filter((suite) => suite.endsWith(`/${name}.test.ts`)).length)
    assert.deepStrictEqual(found, LONGEST.map(() => 1))
  })
})
