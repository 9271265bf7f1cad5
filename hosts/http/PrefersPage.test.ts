import { assert, describe, it } from "@effect/vitest"
import { prefersPage } from "./PrefersPage.ts"

describe("clients that get a page", () => {
  it("accept text/html before anything that programs read", () => {
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

  it("are no others", () => {
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
