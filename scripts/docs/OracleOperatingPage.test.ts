/** docs/operating-the-oracle.md has every metric, error and warning that the oracle can show, and no other metric. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { declaredIn } from "./Metrics.ts"
import { reachableFrom } from "./Reachable.ts"

const root = join(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/operating-the-oracle.md"), "utf8")
/** A family's value can load its transfer ports, which an oracle never requests. */
const isTransfers = (path: string): boolean => path.endsWith("/TransferPorts.ts")
const sources = [...reachableFrom(join(root, "hosts/oracle/main.ts"), isTransfers).values()]

const rows = (kind: string): ReadonlyArray<string> =>
  [...page.matchAll(new RegExp(`^\\| ${kind} \\| \`([^\`]+)\` \\| .+ \\|$`, "gm"))].map(([, name = ""]) => name)
    .toSorted()

/** The constant part of each log message: the longest piece between two values. */
const said = (level: "Error" | "Warning"): ReadonlyArray<string> =>
  sources.flatMap((source) => [...source.matchAll(new RegExp(`log${level}\\((?:"([^"]+)"|\`([^\`]+)\`)`, "g"))])
    .map(([, plain, template = ""]) =>
      plain ?? template.split(/\$\{[^}]*\}/).map((piece) =>
        piece.replace(/^[\s:,]+|[\s:,]+$/g, "")
      ).toSorted((a, b) => b.length - a.length)[0] ?? ""
    )

describe("docs/operating-the-oracle.md", () => {
  it("covers the whole program", () => {
    assert.isAbove(sources.length, 100)
  })

  it("has every metric", () => {
    assert.deepStrictEqual(
      rows("metric"),
      [...new Set(sources.flatMap((source) => declaredIn(source).map(({ name }) => name)))].toSorted()
    )
  })

  it("says what to do about every error and every warning of the log", () => {
    const missing = [...new Set([...said("Error"), ...said("Warning")])].filter((line) =>
      !rows("log").some((row) => row.includes(line))
    )
    assert.deepStrictEqual(missing, [])
  })
})
