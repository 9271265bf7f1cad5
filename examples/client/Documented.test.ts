import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

const text = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

const linesOf = (code: string) => code.split("\n").map((line) => line.trim()).filter((line) => line !== "")

describe("docs/integrate.md", () => {
  it("shows lines that the tests run", () => {
    const run = globSync("*.ts", { cwd: import.meta.dirname }).filter((name) => !name.endsWith(".test.ts"))
      .flatMap((name) => linesOf(text(`./${name}`)))
    const blocks = [...text("../../docs/integrate.md").matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code)
    assert.isAbove(blocks.length, 8)
    for (const line of blocks.flatMap(linesOf)) assert.include(run, line)
  })
})
