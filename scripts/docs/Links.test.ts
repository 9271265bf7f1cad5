/** Links in README and docs lead to files that exist. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname, "../..")
const pages = [
  "README.md",
  "CHANGELOG.md",
  "SECURITY.md",
  ...globSync("{docs,adapters,hosts,src,examples}/**/*.md", { cwd: root }).filter((path) =>
    !path.includes("node_modules")
  )
]

const linksOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].flatMap(([, to]) =>
    to === undefined || /^[a-z]+:/.test(to) ? [] : [to]
  )

describe("links of the documentation", () => {
  for (const page of pages) {
    it(`${page} leads to existing targets`, () => {
      const links = linksOf(readFileSync(join(root, page), "utf8"))
      for (const link of links) assert.isTrue(existsSync(join(root, dirname(page), link)), link)
    })
  }
})
