import { assert, describe, it } from "@effect/vitest"
import { maskUrls } from "./MaskUrls.ts"

describe("URLs in a text that is logged", () => {
  it("keep their scheme, host and port, and nothing that may be secret", () => {
    for (
      const [text, shown] of [
        ["https://node.example/v2/s3cret", "https://node.example/…"],
        ["https://node.example:8545?key=s3cret", "https://node.example:8545/…"],
        ["https://node.example#s3cret", "https://node.example/…"],
        ["https://user:s3cret@node.example/", "https://…"],
        ["postgres://user:s3/cret@db:5432/name", "postgres://…"],
        ["wss://s3cret@node.example", "wss://…"],
        ["failed (https://node.example/s3cret), again", "failed (https://node.example/… again"],
        [
          String.raw`{"message":"fetch \"http://a/s3cret\" failed"}`,
          String.raw`{"message":"fetch \"http://a/…\" failed"}`
        ],
        ["http://a/s3cret http://b/s3cret", "http://a/… http://b/…"]
      ] as const
    ) {
      assert.strictEqual(maskUrls(text), shown)
      assert.notInclude(maskUrls(text), "s3cret")
    }
  })

  it("stay unchanged when they contain nothing secret", () => {
    for (
      const text of [
        "listening on http://127.0.0.1:3001",
        "listening on http://127.0.0.1:3001.",
        "at file:///app/hosts/main.ts:3:1",
        "no URL: a//b"
      ]
    ) {
      assert.strictEqual(maskUrls(text), text)
    }
  })
})
