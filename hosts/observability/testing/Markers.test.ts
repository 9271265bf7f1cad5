import { assert, describe, it } from "@effect/vitest"
import { makeLeakFinder, makeMarker } from "./Markers.ts"

const key = `0x${"1234567890abcdef".repeat(4)}`
const word = makeMarker("word")
const find = makeLeakFinder({ key, word })
const namesIn = (text: string) => [...new Set(find("here", text).map(({ secret }) => secret))]

describe("a secret is found", () => {
  it("as it is, without 0x, in any case, percent-encoded, as a number, as bytes", () => {
    for (
      const text of [
        key,
        key.slice(2),
        key.toUpperCase(),
        `${BigInt(key)}`,
        [...Buffer.from(key.slice(2), "hex")].join(","),
        Buffer.from(key).toString("hex")
      ]
    ) {
      assert.deepStrictEqual(namesIn(`before ${text} after`), ["key"], text)
    }
    assert.deepStrictEqual(namesIn(`x=${encodeURIComponent(word)}`), ["word"])
  })

  it("within base64, at any offset", () => {
    for (const before of ["", "u", "us", "user:", "a longer text before it "]) {
      for (const after of ["", "@", "@h", " and more"]) {
        for (const encoding of ["base64", "base64url"] as const) {
          assert.deepStrictEqual(namesIn(`Basic ${Buffer.from(`${before}${word}${after}`).toString(encoding)}`), [
            "word"
          ], `${before}|${after}`)
          const bytes = Buffer.concat([Buffer.from(before), Buffer.from(key.slice(2), "hex"), Buffer.from(after)])
          assert.deepStrictEqual(namesIn(bytes.toString(encoding)), ["key"], `${before}|${after}`)
        }
      }
    }
  })

  it("and in no other text", () => {
    assert.deepStrictEqual(find("here", `0x${"1234567890abcdee".repeat(4)} ${makeMarker("word")}`), [])
  })
})
