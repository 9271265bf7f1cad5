import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { valuesOf } from "../../testing/Words.ts"
import { flags, parse } from "./Arguments.ts"

const id = `0x${"ab".repeat(32)}`
const asked = (...words: ReadonlyArray<string>) => Result.getOrThrow(parse(valuesOf(flags, words)))

describe("the arguments of causeway follow", () => {
  it("are an id, in any case, or its page's link with the service", () => {
    assert.deepStrictEqual(asked(id), { id, url: undefined } as never)
    assert.strictEqual(asked(id.toUpperCase().replace("0X", "0x")).id, id)
    assert.deepStrictEqual(
      asked(`https://causeway.example/api/requests/${id}`),
      { id, url: "https://causeway.example/api" } as never
    )
  })

  it("that make no sense are refused", () => {
    for (const words of [["0x12"], [`${id}0`], [], [id, id], [id, "--nonsense"]]) assert.throws(() => asked(...words))
  })
})
