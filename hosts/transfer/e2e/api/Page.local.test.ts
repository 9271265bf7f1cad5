/**
 * The page of a request in a headless Chromium, over a real host on local chains: live, complete without a script,
 * readable on a phone, and silent: no error, no request to another site, nothing that the policy had to block.
 *
 * CAUSEWAY_PICTURES=<folder> keeps screenshots for people to look at.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parseEther, toHex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startKillable } from "../../testing/Fixture.ts"
import { requireChromium } from "../../../../scripts/testing/Capability.ts"
import { formatDecimal } from "../../../../src/domain/money/Decimal.ts"
import { RequestTimeline } from "../../../../src/domain/timeline/RequestTimeline.ts"
import { qrCode } from "../../page/QrCode.ts"
import { addressFor, payTo } from "../../testing/Addressed.ts"
import { desktop, phone, startBrowser } from "../../testing/Browser.ts"
import { ended, execute, nativeRequest, postQuote, quote, sendDeposit } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { startFollow } from "../../testing/Follow.ts"
import { get } from "../../testing/Get.ts"
import { assertQuiet, lookAt } from "../../testing/LookAt.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { keyOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { actualOf, SponsoredQuote } from "../../testing/Sponsored.ts"
import { ETH, USDC } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const chromium = requireChromium()

const sponsor: TestSponsor = { id: "sponsor", wallet: toHex(0x5b0_0001, { size: 20 }), balance: 1_000_000_000n }

class Running extends fixtureOf<Running>()(
  "test/Page",
  Effect.zipWith(
    startKillable(startNetwork, { sponsors: [sponsor] }),
    startBrowser(chromium ?? ""),
    (fixture, browser) => ({ ...fixture, browser })
  )
) {}

const idOf = ({ steps }: QuoteAnswer): string => steps[0]?.requestId ?? ""

const headline = (text: string) => `document.querySelector("h1").innerText.trim() === ${JSON.stringify(text)}`
const says = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`

/** A clipboard that keeps what was copied: a page in the background gets none from the browser. */
const clipboard =
  `Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text } } })`

const noClipboard = `Object.defineProperty(navigator, "clipboard", { value: undefined })`

describe.skipIf(chromium === undefined)("the page of a request", () => {
  layer(Running.layer, { excludeTestServices: true })((it) => {
    it.effect("exists before the deposit, and follows it to the end without a reload", () =>
      Effect.gen(function*() {
        const { browser, chains, key, url, user } = yield* Running
        const quoted = yield* quote(url, nativeRequest(user(0), chains.alpha, chains.beta, parseEther("0.1")))
        const id = idOf(quoted)
        const tab = yield* browser.open(`${url}/requests/${id}`, phone)
        yield* tab.until(headline("Waiting for the deposit"))
        yield* tab.until(says("Live: this page changes by itself."))
        yield* tab.until(says(`0.1 ETH on Local Alpha, by ${user(0).toLowerCase()}`))
        yield* lookAt(tab, "waiting")
        yield* tab.evaluate("window.loadedOnce = true")

        const receipt = yield* sendDeposit(chains.alpha, key(0), quoted)
        const end = yield* ended(url, quoted)
        yield* tab.until(headline("Delivered"))
        assert.isTrue(yield* tab.evaluate("window.loadedOnce"))
        assert.match(String(yield* tab.evaluate("document.title")), /^Delivered/)
        for (const hash of [receipt.transactionHash, end.txHashes[0] ?? "none"]) {
          yield* tab.until(`document.body.textContent.includes(${JSON.stringify(hash)})`)
        }
        const steps = (yield* tab.evaluate(
          "[...document.querySelectorAll('.steps > li')].map((each) => each.className)"
        )) as ReadonlyArray<string>
        assert.deepStrictEqual([steps[0], steps[1], steps.at(-1)], ["quoted", "deposit", "delivered"])
        assert.strictEqual(yield* tab.evaluate("document.querySelector('main').dataset.live"), "none")
        // One click copies the whole id, although only part of it is visible.
        const copied = yield* tab.evaluate(
          `(() => { getSelection().selectAllChildren(document.querySelector("#details .id")); const text = getSelection().toString(); getSelection().empty(); return text })()`
        )
        assert.strictEqual(copied, id)
        yield* lookAt(tab, "delivered")
        assertQuiet(tab, url)

        // The purpose of the policy: injected content would be neither run nor loaded.
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
        yield* tab.close
      }))

    it.effect("asks for the payment of a deposit address with a code and copy buttons, until it is seen", () =>
      Effect.gen(function*() {
        const { browser, chains, key, url, user } = yield* Running
        const { depositAddress, requestId } = yield* addressFor(url, {
          ...nativeRequest(user(6), chains.alpha, chains.beta, 123_456_789_012_345_678n),
          refundTo: user(6)
        })
        const tab = yield* browser.open(`${url}/requests/${requestId}`, phone, { before: clipboard })
        yield* tab.until("document.querySelector('#payment svg.qr path') !== null")
        const copiedBy = (name: string) =>
          tab.evaluate(
            `(async () => { document.querySelector("#payment [aria-label='Copy ${name}']").click(); await new Promise(requestAnimationFrame); return window.copied })()`
          )
        assert.strictEqual(yield* copiedBy("the amount"), "0.123456789012345678")
        assert.strictEqual(yield* copiedBy("the address to pay to"), depositAddress.toLowerCase())
        yield* tab.until(`document.getElementById("copied").innerText === "Copied: ${depositAddress.toLowerCase()}"`)
        const { payment } = Schema.decodeUnknownSync(RequestTimeline)(
          (yield* get(`${url}/requests/${requestId}`)).json()
        )
        const code = qrCode(payment?.uri ?? "", "").text
        assert.include(
          code,
          ` d="${String(yield* tab.evaluate("document.querySelector('.qr path').getAttribute('d')"))}"`
        )
        assert.include(payment?.uri, `${depositAddress.toLowerCase()}@`)
        assert.include(payment?.uri, "?value=123456789012345678")
        yield* lookAt(tab, "paying")

        // What the reader has opened stays open, and the focus stays, while the page changes.
        yield* tab.evaluate(
          "document.getElementById('what-exact').open = true; document.querySelector('#what-exact summary').focus()"
        )
        yield* payTo(chains.alpha, key(6), depositAddress, ETH, 123_456_789_012_345_678n)
        yield* tab.until(headline("Delivered"))
        assert.deepStrictEqual(
          yield* tab.evaluate(
            "[document.querySelector('.qr') === null, document.getElementById('payment').hidden, document.getElementById('what-exact').open, document.activeElement.parentElement.id]"
          ),
          [true, true, true, "what-exact"]
        )
        yield* tab.until("document.querySelector('.later') !== null")
        assertQuiet(tab, url)
        // Without a clipboard, as on a page without TLS, the whole text is selected.
        const plain = yield* browser.open(`${url}/requests/${requestId}`, phone, { before: noClipboard })
        yield* plain.evaluate(`document.querySelector("#details [aria-label='Copy the deposit address']").click()`)
        yield* plain.until(`getSelection().toString() === "${depositAddress.toLowerCase()}"`)
        yield* plain.close
        for (const link of ["../intents/status?requestId=", "../requests?id="]) {
          const answered = yield* tab.evaluate(
            `fetch(document.querySelector('a[href^="${link}"]').href).then(({ status, headers }) => status + " " + headers.get("content-type"))`
          )
          assert.match(String(answered), /^200 application\/json/u)
        }
        yield* tab.close
      }))

    it.effect("is complete without JavaScript", () =>
      Effect.gen(function*() {
        const { browser, chains, url, user } = yield* Running
        const quoted = yield* quote(
          url,
          nativeRequest(user(1), chains.alpha, chains.beta, parseEther("0.1"), {
            referrer: "<img src=x onerror=alert(1)>\u202e"
          })
        )
        const page = yield* get(`${url}/requests/${idOf(quoted)}`, { headers: { accept: "text/html" } })
        assert.include(page.text, "&lt;img src=x onerror=alert(1)&gt;\ufffd")
        assert.notInclude(page.text, "<img")
        const tab = yield* browser.open(`${url}/requests/${idOf(quoted)}`, phone, { script: false })
        yield* tab.until(headline("Waiting for the deposit"))
        yield* tab.until(says("Without JavaScript this page does not change by itself"))
        assertQuiet(tab, url)
        yield* tab.close
      }))

    it.effect("shows a refund, its reason, and the returned amount", () =>
      Effect.gen(function*() {
        const { browser, chains, key, url, user } = yield* Running
        const refundTo = "0x000000000000000000000000000000000000f00d"
        const quoted = yield* quote(
          url,
          nativeRequest(user(2), chains.alpha, chains.beta, parseEther("1"), { refundTo })
        )
        yield* sendDeposit(chains.alpha, key(2), quoted, parseEther("0.5"))
        const { refunds } = yield* ended(url, quoted)
        const tab = yield* browser.open(`${url}/requests/${idOf(quoted)}`, phone)
        yield* tab.until(headline("Refunded"))
        yield* tab.until(says("Less was deposited than was quoted."))
        const back = formatDecimal(BigInt(refunds[0]?.refunded ?? "0"), 18, 1)
        // The cut amount is read at a glance; the exact one is under it.
        yield* tab.until(`document.getElementById("refunds").textContent.includes("${back} ETH")`)
        yield* tab.until(says("None were charged"))
        yield* lookAt(tab, "refunded")
        assertQuiet(tab, url)
        yield* tab.close

        const followed = yield* startFollow(`${url}/requests/${idOf(quoted)}`)
        assert.strictEqual(yield* followed.ended, 1, "money that went back is no success")
        assert.include(followed.out(), "Refunded. Less was deposited than was quoted.")
        assert.include(followed.out(), `Sent back: ${back} ETH`)
      }))

    it.effect("shows the sponsor's and the sender's parts of the fees, and the actual fees once they are known", () =>
      Effect.gen(function*() {
        const { browser, chains, key, url, user } = yield* Running
        const answered = yield* postQuote(url, {
          ...nativeRequest(user(3), chains.alpha, chains.beta, 25_000_000n),
          originCurrency: USDC.address,
          destinationCurrency: USDC.address,
          subsidizeFees: true,
          maxSubsidizationAmount: "15000",
          appFees: [{ recipient: user(4), fee: "30" }]
        }, keyOf(sponsor))
        const quoted = Schema.decodeUnknownSync(SponsoredQuote)(answered.json())
        const { capHit, sponsoredTotal, userPaysTotal } = quoted.feeSponsorship.quoted
        assert.isTrue(capHit)
        const tab = yield* browser.open(`${url}/requests/${idOf(quoted)}`, phone)
        const paid = (who: string) =>
          `[...document.querySelectorAll("#fees > .payers > .${who} .money")].map((each) => each.title || each.innerText).join()`
        assert.strictEqual(
          yield* tab.evaluate(paid("sponsor")),
          `${formatDecimal(BigInt(sponsoredTotal.amount), 6, 1)} USDC`
        )
        assert.strictEqual(
          yield* tab.evaluate(paid("sender")),
          `${formatDecimal(BigInt(userPaysTotal.amount), 6, 1)} USDC`
        )
        yield* execute(chains.alpha, key(3), quoted)
        yield* tab.until(headline("Delivered"))
        const actual = yield* eventually("settled", actualOf(url, quoted), (each) => each !== undefined)
        yield* tab.until(says("What they really were"))
        assert.strictEqual(
          yield* tab.evaluate(paid("sponsor")),
          `${formatDecimal(BigInt(actual?.sponsoredTotal.amount ?? "0"), 6, 1)} USDC`
        )
        yield* lookAt(tab, "sponsored")
        assertQuiet(tab, url)
        yield* tab.close
      }))

    it.effect("says that an id is unknown or invalid; clients that do not want HTML get JSON", () =>
      Effect.gen(function*() {
        const { browser, url } = yield* Running
        const nobody = `0x${"0".repeat(63)}1`
        for (
          const [path, status, title] of [
            [nobody, 404, "No request has this id"],
            ["0x12", 400, "This is no request"],
            [`${nobody}%3Cscript%3E`, 400, "This is no request"]
          ] as const
        ) {
          const page = yield* get(`${url}/requests/${path}`, { headers: { accept: "text/html,*/*;q=0.8" } })
          assert.deepStrictEqual([page.status, page.type], [status, "text/html; charset=utf-8"])
          assert.include(page.text, `<h1>${title}</h1>`)
          assert.include(page.headers.get("content-security-policy"), "default-src 'none'")
          const json = yield* get(`${url}/requests/${path}`)
          assert.deepStrictEqual([json.status, json.type, Object.keys(json.json() as object)], [
            status,
            "application/json",
            ["message"]
          ])
        }
        const tab = yield* browser.open(`${url}/requests/${nobody}`, phone)
        yield* lookAt(tab, "unknown")
        yield* tab.close
        const followed = yield* startFollow(nobody, "--url", url)
        assert.deepStrictEqual([yield* followed.ended, followed.out(), followed.error()], [
          1,
          "",
          `causeway follow: ${url}: no request has this id\n`
        ])
        // The listing and its summary still have their routes.
        assert.strictEqual((yield* get(`${url}/requests?id=${nobody}`)).text, "{\"requests\":[]}")
        assert.strictEqual((yield* get(`${url}/requests/summary`)).status, 401)
      }))

    it.effect("continues after a short outage of the service, and so does causeway follow", () =>
      Effect.gen(function*() {
        const { browser, chains, host, key, startHost, url, user } = yield* Running
        const quoted = yield* quote(url, nativeRequest(user(5), chains.alpha, chains.beta, parseEther("0.1")))
        const tab = yield* browser.open(`${url}/requests/${idOf(quoted)}`, desktop)
        yield* tab.until(says("Live: this page changes by itself."))
        const followed = yield* startFollow(idOf(quoted), "--url", url)
        const left = yield* startFollow(idOf(quoted), "--url", url)
        for (const { out } of [followed, left]) {
          yield* eventually("followed", Effect.sync(out), (text) => text.includes("Next: The deposit is made."))
        }
        yield* left.signal("SIGINT")
        assert.deepStrictEqual([yield* left.ended, left.error()], [130, ""])
        yield* host.kill("SIGKILL")
        yield* tab.until(says("Trying again"))
        yield* eventually("missed", Effect.sync(followed.out), (text) => text.includes("The service is away"))
        yield* startHost()
        const { transactionHash } = yield* sendDeposit(chains.alpha, key(5), quoted)
        yield* tab.until(headline("Delivered"))
        yield* tab.close
        assert.strictEqual(yield* followed.ended, 0)
        const lines = followed.out().split("\n")
        assert.deepStrictEqual(
          [
            "Quote made",
            "It answers again",
            "Deposited on Local Alpha",
            transactionHash,
            "Arrived on Local Beta",
            "Delivered.",
            "Fees: "
          ].map((text) => lines.filter((line) => line.includes(text)).length),
          [1, 1, 1, 1, 1, 1, 1],
          followed.out()
        )
        assert.notInclude(followed.out(), "\u001b", "colours are for terminals")
      }))
  })
})
