/** SECURITY: whatever strangers enter, a page has only our tags and attributes, and links only to web addresses. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { records } from "../../../src/domain/timeline/testing/Records.ts"
import { buildTimeline } from "../../../src/domain/timeline/BuildTimeline.ts"
import { escape, html } from "./Html.ts"
import { sorryPage, timelinePage } from "./TimelinePage.ts"
import type { Page } from "./Document.ts"

const tags = new Set([
  "main",
  "header",
  "footer",
  "section",
  "div",
  "p",
  "span",
  "strong",
  "code",
  "time",
  "a",
  "h1",
  "h2",
  "ol",
  "ul",
  "li",
  "dl",
  "dt",
  "dd",
  "svg",
  "rect",
  "noscript"
])
const attributes = new Set([
  "class",
  "id",
  "href",
  "rel",
  "datetime",
  "hidden",
  "role",
  "x",
  "width",
  "height",
  "focusable",
  "aria-live",
  "aria-atomic",
  "aria-hidden",
  "aria-label",
  "aria-labelledby",
  "data-request",
  "data-live"
])

/** The part of a page that is not ours. Undefined when all of it is. */
const foreign = ({ body: { text } }: Page): string | undefined => {
  let at = 0
  for (const found of text.matchAll(/<[^<>]*>/gu)) {
    if (/[<>"'`]/u.test(text.slice(at, found.index))) return text.slice(at, found.index)
    const [, name = "", rest = ""] = /^<\/?([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>$/u.exec(found[0]) ?? []
    if (!tags.has(name)) return found[0]
    for (const [, attribute = "", value = ""] of rest.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/gu)) {
      if (!attributes.has(attribute) || (attribute === "href" && !/^https?:\/\//u.test(value))) return found[0]
    }
    at = found.index + found[0].length
  }
  return /[<>"'`]/u.test(text.slice(at)) ? text.slice(at) : undefined
}

describe("the timeline page", () => {
  it("escapes everything, in every state", () => {
    fc.assert(fc.property(records, (told) => assert.isUndefined(foreign(timelinePage(buildTimeline(told))))), {
      numRuns: inputs(300, 5_000)
    })
    assert.isUndefined(foreign(sorryPage(404, "No <b>", "\"x\"")))
  })

  it("is made of templates that escape text and nest templates", () => {
    assert.strictEqual(
      html`<p class="${"a\"b"}">${"<&>'`"}${html`<b>${1}</b>`}${[html`x`, html`y`]}${undefined}</p>`.text,
      "<p class=\"a&quot;b\">&lt;&amp;&gt;&#39;&#96;<b>1</b>xy</p>"
    )
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => assert.notMatch(escape(text), /[<>"'`\p{Cc}]/u)), {
      numRuns: inputs(2_000, 50_000)
    })
  })
})
