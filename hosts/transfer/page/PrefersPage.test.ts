import { assert, describe, it } from "@effect/vitest"
import { prefersPage } from "./PrefersPage.ts"

describe("who is shown a page", () => {
  it("is who names text/html and nothing that programs read before it", () => {
    for (
      const accept of [
        "text/html",
        "Text/HTML; q=0.9",
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
        "application/json;q=0.5, text/html;q=0.7",
        "text/html, application/json"
      ]
    ) assert.isTrue(prefersPage(accept), accept)
  })

  it("is nobody else", () => {
    for (
      const accept of [
        undefined,
        "",
        "*/*",
        "text/*",
        "application/json",
        "application/json, text/html;q=0.5",
        "text/html;q=0",
        "text/htmlx"
      ]
    ) {
      assert.isFalse(prefersPage(accept), accept)
    }
  })
})
