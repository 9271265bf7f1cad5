import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runSeed, seedOfTree } from "./Seed.ts"
import { isLong } from "./Tally.ts"

const git = (root: string, ...words: ReadonlyArray<string>) => {
  const person = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"]
  const { status, stderr } = spawnSync("git", [...person, ...words], { cwd: root, encoding: "utf8" })
  assert.strictEqual(status, 0, stderr)
}

describe("the seed of a run", () => {
  it("is of the tree: another one after a change, and the same in each clone of it", () => {
    const root = mkdtempSync(join(tmpdir(), "causeway-seed-"))
    try {
      const none = seedOfTree(root)
      git(root, "init", "-q", "one")
      const commit = (text: string) => {
        writeFileSync(join(root, "one", "file"), text)
        git(join(root, "one"), "add", "file")
        git(join(root, "one"), "commit", "-q", "-m", text)
        return seedOfTree(join(root, "one"))
      }
      const first = commit("first")
      assert.notStrictEqual(commit("second"), first)
      git(root, "clone", "-q", "one", "other")
      assert.strictEqual(seedOfTree(join(root, "other")), seedOfTree(join(root, "one")))
      assert.strictEqual(commit("first"), first)
      for (const seed of [none, first]) assert.isTrue(Number.isInteger(seed) && seed > 0 && seed < 2 ** 31)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })

  // A long run draws anew, and so has none.
  it.skipIf(isLong)("is that of every property, and of every sample", () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 })
    const drawn = (): ReadonlyArray<Uint8Array> => {
      const seen: Array<Uint8Array> = []
      fc.assert(fc.property(bytes, (each) => void seen.push(each)), { numRuns: 5 })
      return [...seen, ...fc.sample(bytes, 5)]
    }
    assert.isDefined(runSeed())
    assert.deepStrictEqual(drawn(), drawn())
    assert.strictEqual(fc.readConfigureGlobal().seed, runSeed())
  })
})
