import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pages } from "./Pages.ts"

describe("generated pages of docs/", () => {
  for (const [name, page] of pages) {
    it(`docs/${name} agrees with the code (npm run docs)`, () => {
      assert.strictEqual(readFileSync(join(import.meta.dirname, "../../docs", name), "utf8"), page())
    })
  }
})
