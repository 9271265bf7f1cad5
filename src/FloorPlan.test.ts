import { assert, describe, it } from "@effect/vitest"
import { globSync } from "node:fs"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname, "..")
const MOST = 25

/** What only tests use, and what a compiler has made. */
const isProduction = (folder: string): boolean => !/(?:^|\/)(?:testing|e2e|test|artifacts)(?:\/|$)/u.test(folder)

const folders = Map.groupBy(globSync("{src,ports,adapters,hosts}/**/*.*", { cwd: root }), dirname)

describe("the floor plan", () => {
  it(`has at most ${MOST} files in a folder of production code`, () => {
    assert.isAbove(folders.size, 100)
    const crowded = [...folders].filter(([folder, files]) => isProduction(folder) && files.length > MOST)
    assert.deepStrictEqual(crowded.map(([folder, files]) => `${folder}: ${files.length}`), [])
  })

  it("keeps tests of the hosts' behaviour apart from their code", () => {
    const listed = globSync("hosts/{transfer,oracle}/**/*.{local,long}.test.ts", { cwd: root }).filter((file) =>
      isProduction(dirname(file))
    )
    assert.deepStrictEqual(listed, [])
  })
})
