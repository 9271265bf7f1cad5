import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { partOf } from "./Sample.ts"
import { inputs, isLong, report, tally, TALLY_FOLDER } from "./Tally.ts"
import { sumTally } from "./TallyReporter.ts"

/** Runs `body` with a run folder of its own, so that this test adds nothing to the real count. */
const inFolder = (folder: string | undefined, body: () => void): void => {
  const outer = process.env[TALLY_FOLDER]
  if (folder === undefined) delete process.env[TALLY_FOLDER]
  else process.env[TALLY_FOLDER] = folder
  try {
    body()
  } finally {
    if (outer === undefined) delete process.env[TALLY_FOLDER]
    else process.env[TALLY_FOLDER] = outer
  }
}

describe("Tally", () => {
  it("adds up what was reported, counter by counter", () => {
    const expected = isLong ? Math.max(10, partOf(50)) : 10
    const folder = mkdtempSync(join(tmpdir(), "causeway-tally-test-"))
    try {
      inFolder(folder, () => {
        tally("kills", 1)
        tally("kills", 2)
        assert.strictEqual(inputs(10, 1000), expected)
      })
      const sums = sumTally(readFileSync(join(folder, "tally"), "utf8").split("\n"))
      assert.deepStrictEqual([...sums], [["kills", 3n], ["inputs", BigInt(expected)]])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("writes nothing outside of a run", () => {
    inFolder(undefined, () => assert.isFalse(report("tally", "1 kills")))
  })

  it("is given a folder by the reporter of this very run", () => {
    assert.isString(process.env[TALLY_FOLDER])
  })
})
