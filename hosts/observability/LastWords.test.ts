/** A process that a failure ends of which nobody hears: it ends, and tells no endpoint's words. */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { lastWords } from "./LastWords.ts"

const SECRET = "key 5ecre7 is over its limit: https://user:5ecre7@node.example/v2?key=5ecre7"

describe("the last words of a process", () => {
  it("name the error and its place, whatever its message quotes", () => {
    for (const message of [SECRET, `${SECRET}\n    at ${SECRET}`, ""]) {
      const words = lastWords("transfer", new TypeError(message))
      assert.match(words, /^transfer stopped: a failure that nobody waited for: TypeError\n +at .*LastWords\.test\.ts/u)
      assert.notInclude(words, "5ecre7")
    }
    const changed = new Error("other")
    changed.message = SECRET
    for (const cause of [changed, SECRET, undefined, Object.assign(new Error(SECRET), { stack: undefined })]) {
      assert.notInclude(lastWords("transfer", cause), "5ecre7")
    }
  })

  it("are the only ones, and the process exits with 1", () => {
    const program = `import { endUnheard } from "./LastWords.ts"
      endUnheard("worker")
      void Promise.reject(new Error(${JSON.stringify(SECRET)}, { cause: new Error(${JSON.stringify(SECRET)}) }))
      setTimeout(() => process.exit(0), 60_000)`
    const ended = spawnSync(process.execPath, ["--input-type=module-typescript", "--eval", program], {
      cwd: import.meta.dirname,
      encoding: "utf8"
    })
    assert.strictEqual(ended.status, 1, ended.stderr)
    assert.match(ended.stderr, /^worker stopped: a failure that nobody waited for: Error\n/u)
    assert.notInclude(`${ended.stdout}${ended.stderr}`, "5ecre7")
  })
})
