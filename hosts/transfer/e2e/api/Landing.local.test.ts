/** The landing page and its search, on a running host. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, sendDeposit } from "../../testing/Client.ts"
import { quoteNative, startFixture } from "../../testing/Fixture.ts"
import { get } from "../../testing/Get.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()("test/Landing", startFixture(startNetwork)) {}

layer(Running.layer, { excludeTestServices: true })("the landing page", (it) => {
  it.effect("names the chains and the documents, each of which exists, and loads nothing from elsewhere", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { headers, status, text, type } = yield* get(`${url}/`)
      assert.deepStrictEqual([status, type], [200, "text/html; charset=utf-8"])
      for (const name of ["Local Alpha", "Local Beta", "open"]) assert.include(text, name)
      const links = [...text.matchAll(/href="([a-z][^":]*)"/gu)].map(([, link = ""]) => link)
      assert.includeMembers(links, ["documentation", "openapi.json", "llms.txt", "chains"])
      for (const link of links) assert.strictEqual((yield* get(`${url}/${link}`)).status, 200, link)
      assert.notMatch(text, /(?:src|href|action)="(?:https?:)?\/\//u)
      assert.include(headers.get("content-security-policy") ?? "", "form-action 'self'")
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
      const search = (text: string) => get(`${url}/search?q=${encodeURIComponent(text)}`, { redirect: "manual" })
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
      }
    }))
})
