import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { parseOracleUrls } from "./OracleUrls.ts"

const usual = Redacted.make("usual")
const parsed = (text: string) =>
  Result.match(parseOracleUrls(text, usual), {
    onSuccess: (all) => all.map(({ key, url }) => `${url} ${key === undefined ? "" : Redacted.value(key)}`),
    onFailure: ({ message }) => message
  })

describe("ORACLE_URL", () => {
  it("is a list of URLs, each with its own key or the usual one", () => {
    assert.deepStrictEqual(parsed("https://a.example/|own, http://127.0.0.1:3000,https://b.example/x/,"), [
      "https://a.example own",
      "http://127.0.0.1:3000 usual",
      "https://b.example/x usual"
    ])
  })

  it("is refused as a whole when a part is wrong, without repeating any of it", () => {
    const wrong = [
      "http://a.example|s3cret",
      "a.example|s3cret",
      "https://a.example|",
      "https://a.example|s3cret|more",
      "https://s3cret@a.example",
      "https://a.example?s3cret",
      "ftp://127.0.0.1|s3cret",
      "",
      Array.from({ length: 33 }, (_, index) => `https://s3cret${index}.example`).join(",")
    ]
    for (const text of wrong) {
      const message = parsed(text)
      assert.include(message, "ORACLE_URL is not valid", text)
      assert.notInclude(message, "s3cret")
    }
    assert.include(parsed("https://a.example|s3cret,https://a.example/"), "the same oracle twice")
  })
})
