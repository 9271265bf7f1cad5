/** The landing page and its search, on a running host. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther } from "viem"
import { requireChromium } from "../../../../scripts/testing/Capability.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { addressFor, payTo, requestsOf } from "../../testing/Addressed.ts"
import { desktop, startBrowser } from "../../testing/Browser.ts"
import { ended, nativeRequest, sendDeposit } from "../../testing/Client.ts"
import { quoteNative, startFixture } from "../../testing/Fixture.ts"
import { get } from "../../testing/Get.ts"
import { assertQuiet, lookAt } from "../../testing/LookAt.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { ETH } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const chromium = requireChromium()

class Running extends fixtureOf<Running>()("test/Landing", startFixture(startNetwork)) {}

const searchAt = (url: string, text: string) =>
  get(`${url}/search?q=${encodeURIComponent(text)}`, { redirect: "manual" })

layer(Running.layer, { excludeTestServices: true })("the landing page", (it) => {
  /** A deposit address for ETH to beta, and a way to pay it as anybody does. */
  const addressed = Effect.fnUntraced(function*(changes: object) {
    const { chains, fresh, key, url, user } = yield* Running
    const recipient = fresh()
    const made = yield* addressFor(
      url,
      nativeRequest(user(0), chains.alpha, chains.beta, ETH.some, { recipient, refundTo: user(0), ...changes })
    )
    return { ...made, pay: (amount: bigint) => payTo(chains.alpha, key(1), made.depositAddress, ETH, amount) }
  })

  it.effect("names the chains and the documents, each of which exists, and loads nothing from elsewhere", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { headers, status, text, type } = yield* get(`${url}/`)
      assert.deepStrictEqual([status, type], [200, "text/html; charset=utf-8"])
      for (const name of ["Local Alpha", "Local Beta", "open", "None yet."]) assert.include(text, name)
      const links = [...text.matchAll(/href="([a-z][^":]*)"/gu)].map(([, link = ""]) => link)
      assert.includeMembers(links, ["dashboard", "documentation", "openapi.json", "llms.txt", "ready", "chains"])
      // Whether the dashboard is built is its own test's matter.
      for (const link of links.filter((each) => each !== "dashboard")) {
        assert.strictEqual((yield* get(`${url}/${link}`)).status, 200, link)
      }
      assert.notMatch(text, /(?:src|href|action)="(?:https?:)?\/\//u)
      assert.include(headers.get("content-security-policy") ?? "", "form-action 'self'")
    }))

  it.effect("lists a transfer once it is delivered, and none that is only quoted", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, url } = running
      const [unpaid, quoted] = [
        yield* quoteNative(running, 0, parseEther("0.2")),
        yield* quoteNative(running, 0, parseEther("0.1"))
      ]
      yield* sendDeposit(chains.alpha, running.key(0), quoted)
      yield* ended(url, quoted)
      const page = () => Effect.map(get(`${url}/`), ({ text }) => text)
      const idOf = ({ steps }: typeof quoted) => steps[0]?.requestId ?? assert.fail("no step")
      const text = yield* eventually("the transfer is listed", page(), (each) =>
        each.includes(`requests/${idOf(quoted)}`))
      assert.match(text, /0\.1 ETH on Local Alpha → 0\.0999\d+… ETH on Local Beta/u)
      assert.include(text, "success")
      assert.notInclude(text, idOf(unpaid))
    }))

  it.effect("finds a transfer by its id, its order, both transactions, and nothing else", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, url } = running
      const quoted = yield* quoteNative(running, 0, parseEther("0.1"))
      const id = quoted.steps[0]?.requestId ?? assert.fail("no step")
      const order = `0x${quoted.steps[0]?.items[0]?.data.data.slice(-64)}`
      const { transactionHash } = yield* sendDeposit(chains.alpha, running.key(0), quoted)
      const { txHashes: [paid] } = yield* ended(url, quoted)
      const search = (text: string) => searchAt(url, text)
      for (const text of [id, ` ${id.toUpperCase().replace("0X", "0x")} `, order, transactionHash, paid ?? ""]) {
        const { headers, status } = yield* search(text)
        assert.deepStrictEqual([status, headers.get("location")], [303, `requests/${id}`], text)
      }
      assert.strictEqual((yield* get(`${url}/search?q=${id}`, { headers: { accept: "text/html" } })).status, 200)
      for (const text of ["", "nothing", `0x${"0".repeat(64)}`, "\"><script>alert(1)</script>"]) {
        const { status, text: page } = yield* search(text)
        assert.strictEqual(status, 404, text)
        assert.include(page, "Nothing found")
        assert.notInclude(page, "<script>alert")
        assert.notInclude(page, "an address of")
      }
      // The user's own address: its transfers are for the key that asked for them, and the page says so.
      const { status, text: page } = yield* search(running.user(0))
      assert.strictEqual(status, 404)
      assert.include(page, "This is an address of Local Alpha")
      assert.notInclude(page, id)
    }))

  it.effect("finds the one request of a strict deposit address, before and after it is paid", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { depositAddress, pay, quoted, requestId } = yield* addressed({ strict: true })
      const assertFound = Effect.fnUntraced(function*(text: string) {
        const { headers, status } = yield* searchAt(url, text)
        assert.deepStrictEqual([status, headers.get("location")], [303, `requests/${requestId}`], text)
      })
      yield* assertFound(depositAddress)
      yield* pay(ETH.some)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* assertFound(depositAddress)
      yield* assertFound(depositAddress.toLowerCase())
    }))

  it.effect("lists both requests of an open deposit address that was paid twice, the newest first", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { depositAddress, pay, quoted, requestId } = yield* addressed({})
      yield* pay(ETH.some)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* pay(2n * ETH.some)
      const [second] = yield* eventually(
        "a second request succeeds",
        requestsOf(url, depositAddress),
        (found) => found.length === 2 && found.every(({ status }) => status === "success")
      )
      const { status, text } = yield* searchAt(url, depositAddress)
      assert.strictEqual(status, 200)
      assert.include(text, "<h1>2 transfers</h1>")
      assert.deepStrictEqual(
        [...text.matchAll(/<a href="requests\/(\w+)">(\S+ ETH on Local Alpha) → /gu)].map(([, id, from]) => [id, from]),
        [[second?.id, "0.02 ETH on Local Alpha"], [requestId, "0.01 ETH on Local Alpha"]]
      )
      assert.notInclude(text, "an address of")
      if (chromium === undefined) return
      const browser = yield* startBrowser(chromium)
      const tab = yield* browser.open(`${url}/search?q=${depositAddress}`, desktop)
      yield* lookAt(tab, "search-several")
      assertQuiet(tab, url)
    }))
})
