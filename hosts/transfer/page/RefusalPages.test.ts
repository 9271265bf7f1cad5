/** Refusals before the page's route are pages for browsers. Other clients see no change. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { tooMany } from "../middleware/Refusals.ts"
import { routeOf } from "../HttpHost.ts"
import { policy } from "./Document.ts"
import { withRefusalPages } from "./RefusalPages.ts"

const browser = "text/html,application/xhtml+xml,*/*;q=0.8"

const asked = Effect.fnUntraced(
  function*(path: string, accept: string, response: HttpServerResponse.HttpServerResponse) {
    const request = HttpServerRequest.fromWeb(new Request(`http://127.0.0.1${path}`, { headers: { accept } }))
    const shown = HttpServerResponse.toWeb(
      yield* withRefusalPages(routeOf)(Effect.succeed(response)).pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request)
      )
    )
    return { shown, text: yield* Effect.promise(() => shown.text()) }
  }
)

const page = `/requests/0x${"ab".repeat(32)}`
const limited = tooMany("more than 3 requests a minute", 7, { ratelimit: "\"other\";r=0;t=7" })

describe("a refusal of the request page", () => {
  it.effect("is a page for a browser, with the status, the limits and the policy", () =>
    Effect.gen(function*() {
      const { shown, text } = yield* asked(`${page}?from=somewhere`, browser, limited)
      assert.strictEqual(shown.status, 429)
      assert.match(shown.headers.get("content-type") ?? "", /^text\/html/u)
      assert.deepStrictEqual([shown.headers.get("retry-after"), shown.headers.get("ratelimit")], [
        "7",
        "\"other\";r=0;t=7"
      ])
      assert.strictEqual(shown.headers.get("content-security-policy"), policy)
      assert.include(text, "Load it again in 7 seconds")
      for (const status of [400, 405, 500, 503]) {
        const other = yield* asked(
          page,
          browser,
          HttpServerResponse.jsonUnsafe({ message: "no" }, { status, headers: { allow: "GET" } })
        )
        assert.deepStrictEqual([
          other.shown.status,
          other.shown.headers.get("content-type"),
          other.shown.headers.get("allow")
        ], [status, "text/html; charset=utf-8", "GET"])
        assert.include(other.text, "<h1>")
      }
    }))

  it.effect("of an address that has no route is a page with links to those that there are", () =>
    Effect.gen(function*() {
      const nowhere = HttpServerResponse.jsonUnsafe({ message: "not found" }, { status: 404 })
      for (const [path, root] of [["/anything", "./"], ["/any/thing", "../"], ["/any/thing/", "../../"]] as const) {
        const { shown, text } = yield* asked(path, browser, nowhere)
        assert.deepStrictEqual([shown.status, shown.headers.get("content-type")], [404, "text/html; charset=utf-8"])
        const links = [...text.matchAll(/href="(\.[^"]*)"/gu)].map(([, link = ""]) => link)
        assert.sameMembers([...new Set(links)], [root, `${root}dashboard`, `${root}documentation`])
        // As a browser resolves them, behind a proxy that serves all of it under /prefix, too.
        const resolved = links.map((link) => new URL(link, `http://127.0.0.1/prefix${path}`).pathname)
        assert.includeMembers(resolved, ["/prefix/", "/prefix/dashboard", "/prefix/documentation"])
      }
      for (const accept of ["application/json", "*/*", ""]) {
        assert.strictEqual((yield* asked("/anything", accept, nowhere)).text, "{\"message\":\"not found\"}")
      }
      // Not found on a route that there is: the client's matter.
      assert.include((yield* asked("/chains", browser, nowhere)).text, "not found")
    }))

  it.effect("is unchanged for programs, on other routes, and where there is a page already", () =>
    Effect.gen(function*() {
      for (
        const [path, accept] of [[page, "application/json"], [page, "*/*"], ["/requests", browser], [
          "/chains",
          browser
        ], ["/transactions/index", browser]] as const
      ) {
        const { shown, text } = yield* asked(path, accept, limited)
        assert.deepStrictEqual([shown.status, shown.headers.get("content-type"), text.includes("\"statusCode\":429")], [
          429,
          "application/json",
          true
        ], path)
      }
      const own = HttpServerResponse.text("<p>ours</p>", { status: 404, contentType: "text/html" })
      assert.strictEqual((yield* asked(page, browser, own)).text, "<p>ours</p>")
      assert.strictEqual(
        (yield* asked(page, browser, HttpServerResponse.jsonUnsafe({ fine: true }))).text,
        "{\"fine\":true}"
      )
    }))
})
