/**
 * What a person opens first, in a headless Chromium over a real host: the landing page and its search, the reader of the
 * API document, and the page of an error code. Readable on a phone and in the dark, and nothing comes from elsewhere.
 */
import { assert, describe, layer } from "@effect/vitest"
import axe from "axe-core"
import { Effect } from "effect"
import { parseEther } from "viem"
import { requireChromium } from "../../../../scripts/testing/Capability.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { desktop, phone, startBrowser } from "../../testing/Browser.ts"
import { ended, sendDeposit } from "../../testing/Client.ts"
import { quoteNative, startFixture } from "../../testing/Fixture.ts"
import { tabTo, walkByKeyboard } from "../../testing/Keyboard.ts"
import { assertQuiet, lookAt } from "../../testing/LookAt.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const chromium = requireChromium()

class Running extends fixtureOf<Running>()(
  "test/Documents",
  Effect.zipWith(
    startFixture(startNetwork),
    startBrowser(chromium ?? ""),
    (fixture, browser) => ({ ...fixture, browser })
  )
) {}

const contrast =
  `axe.run({ include: [["aside"], ['[id$="tag/quote/POST/quote"]']] }, { runOnly: ["color-contrast"] }).then(({ violations }) => violations.flatMap(({ nodes }) => nodes.map(({ html }) => html)))`

/**
 * Rules of axe that the reader's own markup breaks, whatever its colours and sizes: a button that is a search, a tree of
 * buttons with a state that buttons do not have, tabs within another element, buttons named otherwise than they read,
 * lists that scroll by themselves.
 */
const ofTheReader: ReadonlyArray<string> = [
  "aria-allowed-attr",
  "aria-allowed-role",
  "aria-required-children",
  "button-name",
  "label-content-name-mismatch",
  "landmark-unique",
  "scrollable-region-focusable"
]

const otherViolations =
  `axe.run(document, { resultTypes: ["violations"], rules: { "color-contrast": { enabled: false } } }).then(({ violations }) => violations.map(({ id }) => id).filter((id) => !${
    JSON.stringify(ofTheReader)
  }.includes(id)))`

/** A library of the reader asks whether it may compile code, and takes the answer. */
const isAskedForEval = (complaint: string) => complaint.includes("kEvalViolation")

/** The browser itself reports that a page is a 404. */
const isNotFound = (complaint: string) => complaint.includes("404 (Not Found)")

describe.skipIf(chromium === undefined)("what a person opens first", () => {
  layer(Running.layer, { excludeTestServices: true })((it) => {
    it.effect("the landing page finds a transfer by keyboard alone, and says when it finds none", () =>
      Effect.gen(function*() {
        const running = yield* Running
        const { browser, chains, url } = running
        const quoted = yield* quoteNative(running, 0, parseEther("0.1"))
        const { transactionHash } = yield* sendDeposit(chains.alpha, running.key(0), quoted)
        yield* ended(url, quoted)
        const tab = yield* browser.open(`${url}/`, desktop)
        yield* lookAt(tab, "landing")
        yield* walkByKeyboard(tab)
        yield* tabTo(tab, "Request id, order id, transaction or deposit address")
        yield* tab.evaluate(`document.activeElement.value = ${JSON.stringify(transactionHash)}`)
        yield* tab.press("Enter")
        yield* tab.until(`location.pathname === "/requests/${quoted.steps[0]?.requestId}"`)
        assertQuiet(tab, url)
        yield* tab.close
        for (
          const [path, name] of [
            ["/search?q=nothing", "search-none"],
            [`/search?q=${running.user(0)}`, "search-address"],
            ["/not/here", "nothing-here"]
          ] as const
        ) {
          const none = yield* browser.open(`${url}${path}`, desktop)
          yield* lookAt(none, name)
          assertQuiet(none, url, isNotFound)
          yield* none.close
        }
      }))

    it.effect("the reader shows every group of operations, is as dark as the system, and calls only this service", () =>
      Effect.gen(function*() {
        const { browser, url } = yield* Running
        const tab = yield* browser.open(`${url}/documentation`, { ...desktop, scheme: "dark" })
        yield* tab.until("document.querySelector('h1')?.innerText.includes('Causeway transfer service')")
        yield* tab.until("document.body.innerText.includes('local network')")
        yield* tab.until("document.body.classList.contains('dark-mode')")
        // The structure is the reader's own; the colours and the width are ours. One operation has all of them.
        yield* tab.evaluate(axe.source)
        for (const scheme of ["dark", "light"] as const) {
          yield* tab.resize({ ...desktop, scheme })
          yield* tab.until(`document.body.classList.contains("${scheme}-mode")`)
          assert.deepStrictEqual(yield* tab.evaluate(contrast), [], scheme)
        }
        assert.deepStrictEqual(yield* tab.evaluate(otherViolations), [])
        yield* tab.resize(phone)
        assert.strictEqual(yield* tab.evaluate("document.documentElement.scrollWidth"), phone.width)
        assert.strictEqual(yield* tab.evaluate("document.documentElement.lang"), "en")
        const stopped = yield* tab.evaluate(`new Promise((resolve) => {
          const seen = []
          addEventListener("securitypolicyviolation", ({ effectiveDirective }) => { seen.push(effectiveDirective); if (seen.length === 3) resolve(seen.toSorted()) })
          const script = document.createElement("script")
          script.textContent = "window.intruder = true"
          const image = new Image()
          image.src = "http://127.0.0.1:9/x.png"
          document.body.append(script, image)
          fetch("http://127.0.0.1:9/").catch(() => {})
        })`)
        assert.deepStrictEqual(stopped, ["connect-src", "img-src", "script-src-elem"])
        assert.strictEqual(yield* tab.evaluate("window.intruder"), undefined)
        assert.strictEqual(yield* tab.evaluate("fetch('/lives').then(({ status }) => status)"), 200)
        yield* tab.close
        const undisturbed = yield* browser.open(`${url}/documentation`, desktop)
        yield* undisturbed.until("document.querySelector('h1')")
        assertQuiet(undisturbed, url, isAskedForEval)
        yield* undisturbed.close
      }))

    it.effect("the page of an error code is readable, and leads to the API", () =>
      Effect.gen(function*() {
        const { browser, url } = yield* Running
        const tab = yield* browser.open(`${url}/documentation/errors/AMOUNT_TOO_LOW`, desktop)
        yield* lookAt(tab, "error-code")
        assert.strictEqual(yield* tab.evaluate("document.querySelector('footer a').href"), `${url}/documentation`)
        assertQuiet(tab, url)
        yield* tab.close
      }))
  })
})
