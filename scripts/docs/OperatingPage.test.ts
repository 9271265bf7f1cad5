/**
 * docs/operating-the-transfer-service.md names every variable, metric, alarm and difference that the code has, and no
 * others.
 */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { families } from "../../hosts/families.ts"
import { variablesOf } from "../../hosts/transfer/config/Environment.ts"
import { findingKinds } from "../../src/domain/reconciliation/Finding.ts"
import { alarms } from "../../src/services/operations/Alarms.ts"

const root = join(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/operating-the-transfer-service.md"), "utf8")
const sources = globSync("{src,adapters,hosts}/**/*.ts", { cwd: root })
  .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
  .map((file) => readFileSync(join(root, file), "utf8")).join("\n")

const all = (pattern: RegExp): ReadonlyArray<string> =>
  [...new Set([...sources.matchAll(pattern)].map(([, name = ""]) => name))].toSorted()

/** The names of one kind in the page's table. */
const rows = (kind: string): ReadonlyArray<string> =>
  [...page.matchAll(new RegExp(`^\\| ${kind} \\| \`([^\`]+)\` \\|`, "gm"))].map(([, name = ""]) => name).toSorted()

describe("docs/operating-the-transfer-service.md", () => {
  it("has every variable", () => {
    assert.deepStrictEqual(rows("variable"), variablesOf(families).map(({ name }) => name).toSorted())
  })

  it("has every metric", () => {
    assert.deepStrictEqual(rows("metric"), all(/Metric\.(?:counter|gauge|histogram|summary|frequency)\("([^"]+)"/g))
  })

  it("has every alarm", () => {
    assert.deepStrictEqual(rows("alarm"), alarms.toSorted())
    // The type ensures that only these alarms are counted; this finds alarms that no code raises any more.
    const unsaid = alarms.filter((name) =>
      !new RegExp(`\\(\\s*"${name}"`, "u").test(sources) && !/^(?:clock|lost)-/.test(name)
    )
    assert.deepStrictEqual(unsaid, [])
  })

  it("says what to do about every difference that the doctor can find", () => {
    for (const kind of findingKinds) assert.match(page, new RegExp(`^\\| .*\`${kind}\`.* \\| .+ \\| .+ \\|$`, "m"))
  })
})
