/**
 * SECURITY: whatever strangers enter, a page has only our tags and attributes, and links only to web addresses and
 * wallets.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { records } from "../../../src/domain/timeline/testing/Records.ts"
import { amountText } from "../../../src/domain/timeline/DisplayText.ts"
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
  "path",
  "button",
  "details",
  "summary",
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
  "viewBox",
  "d",
  "type",
  "title",
  "focusable",
  "aria-live",
  "aria-atomic",
  "aria-hidden",
  "aria-label",
  "aria-labelledby",
  "data-request",
  "data-live"
])

/** Web addresses, payments for wallets, and the request's own data. */
const links =
  /^(?:https?:\/\/|(?:bitcoin|ethereum|solana):|\.\.\/(?:intents\/status\?requestId|requests\?id)=0x[0-9a-f]{64}$)/u

/** The part of a page that is not ours. Undefined when all of it is. */
const foreign = ({ body: { text } }: Page): string | undefined => {
  let at = 0
  for (const found of text.matchAll(/<[^<>]*>/gu)) {
    if (/[<>"'`]/u.test(text.slice(at, found.index))) return text.slice(at, found.index)
    const [, name = "", rest = ""] = /^<\/?([a-z][a-z0-9]*)((?: [a-zA-Z-]+(?:="[^"<>]*")?)*)>$/u.exec(found[0]) ?? []
    if (!tags.has(name)) return found[0]
    for (const [, attribute = "", value = ""] of rest.matchAll(/ ([a-zA-Z-]+)(?:="([^"]*)")?/gu)) {
      if (!attributes.has(attribute) || (attribute === "href" && !links.test(value))) return found[0]
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

  it("gives every amount exactly: as it is, or under its cut form", () => {
    fc.assert(
      fc.property(records, (told) => {
        const timeline = buildTimeline(told)
        const { text } = timelinePage(timeline).body
        const amounts = [
          timeline.gives,
          timeline.gets,
          ...timeline.steps.flatMap(({ amount }) => amount ?? []),
          ...timeline.refunds.flatMap((
            { amount, gas, refunded }
          ) => [amount, ...[gas, refunded].flatMap((each) => each ?? [])]),
          ...(timeline.fees.basis === "none"
            ? []
            : [timeline.fees, ...timeline.fees.parts].flatMap(({ sender, sponsor }) => [sender, sponsor]).filter((
              { units }
            ) => units !== "0"))
        ]
        for (const amount of amounts) {
          // A whole amount is shown without its point.
          assert.include(text, `>${escape(amountText(amount).replace(/^(-?\d+)\.0 /u, "$1 "))}<`)
        }
      }),
      { numRuns: inputs(200, 2_000) }
    )
  })

  it("shows a code while a deposit address waits for its first deposit, and never afterwards", () => {
    fc.assert(
      fc.property(records, (told) => {
        const { deposits, events, transfer: { status, terms } } = told
        const waits = status === "waiting" && terms.depositAddress !== undefined && deposits.length === 0 &&
          events.every((event) => event.status === "waiting")
        assert.strictEqual(timelinePage(buildTimeline(told)).body.text.includes("<svg class=\"qr\""), waits)
      }),
      { numRuns: inputs(300, 3_000) }
    )
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
