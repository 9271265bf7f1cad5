import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { valuesOf } from "../../../cli/testing/Words.ts"
import { flags, parse } from "./Arguments.ts"

const id = `0x${"ab".repeat(32)}`
const asked = (...words: ReadonlyArray<string>) => Result.getOrThrow(parse(valuesOf(flags, words)))
const refused = (...words: ReadonlyArray<string>) =>
  Result.getOrThrow(Result.flip(parse(valuesOf(flags, words)))).message

describe("the arguments of npm run follow", () => {
  it("are an id, in any case, or its page's link, and a service", () => {
    assert.deepStrictEqual(asked(id), { id, url: undefined } as never)
    assert.strictEqual(asked(id.toUpperCase().replace("0X", "0x")).id, id)
    assert.strictEqual(asked(id, "--url", "http://127.0.0.1:3001/").url, "http://127.0.0.1:3001")
    assert.deepStrictEqual(
      asked(`https://causeway.example/api/requests/${id}`),
      { id, url: "https://causeway.example/api" } as never
    )
    assert.strictEqual(
      asked(`https://causeway.example/requests/${id}`, "--url", "http://127.0.0.1:3001").url,
      "http://127.0.0.1:3001"
    )
  })

  it("that make no sense are refused with the correct form", () => {
    for (
      const words of [["0x12"], [`${id}0`], [id, "--url", "file:///x"], [id, "--url", "x"]]
    ) {
      assert.include(refused(...words), "usage", words.join(" "))
    }
    for (const words of [[], [id, id], ["--url", "http://x"], [id, "--nonsense"]]) {
      assert.throws(() => asked(...words))
    }
  })
})
