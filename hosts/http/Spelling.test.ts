/** Every spelling of a path leads to its route or to none, equally for every caller. */
import { assert, describe, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"
import * as fc from "fast-check"
import { OracleApi } from "../oracle/endpoints/OracleApi.ts"
import { TransferApi } from "../transfer/endpoints/TransferApi.ts"
import { makeRouteOf } from "./Routes.ts"
import { sameAs, unlike } from "./testing/Spellings.ts"

const patterns: Array<string> = []
for (const api of [TransferApi, OracleApi]) {
  HttpApi.reflect<string, never>(api as never, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      patterns.push(endpoint.path)
    }
  })
}

/** As hosts pass it on: without the query. The platform has removed the host from an absolute target. */
const pathOf = (target: string): string => target.replace(/^http:\/\/[^/]+/u, "").split(/[?#]/u)[0] ?? ""

describe("the spellings of a path", () => {
  for (
    const [name, routeOf] of [["the transfer service", makeRouteOf(TransferApi, ["/metrics"])], [
      "the oracle",
      makeRouteOf(OracleApi, ["/metrics"])
    ]] as const
  ) {
    it(`lead to one route of ${name}, or none`, () => {
      const own = [...new Set(patterns)].filter((pattern) => routeOf(pattern)?.pattern === pattern)
      assert.isAbove(own.length, 5)
      for (const pattern of own) {
        const canonical = routeOf(sameAs(pattern)[0] ?? "")
        assert.strictEqual(canonical?.pattern, pattern)
        for (const target of sameAs(pattern)) {
          assert.deepStrictEqual([routeOf(pathOf(target))?.pattern, routeOf(pathOf(target))?.path], [
            pattern,
            canonical?.path
          ], target)
        }
        if (!pattern.split("/").at(-1)?.startsWith(":")) {
          for (const target of unlike(pattern)) {
            assert.notStrictEqual(routeOf(pathOf(target))?.pattern, pattern, target)
          }
        }
      }
    })
  }

  it("are normalized to a stable form, for any input; a parameter keeps its case and its encoded slashes", () => {
    const routeOf = makeRouteOf(TransferApi, ["/documentation/errors/:code"])
    assert.strictEqual(routeOf("//DOCUMENTATION/errors/Ab%2fC%41/")?.path, "/documentation/errors/Ab%2FCA")
    const piece = fc.constantFrom(
      "/",
      "//",
      ".",
      "..",
      "%2e",
      "%2F",
      "%41",
      "requests",
      "QUOTE",
      "quote",
      "v2",
      ";",
      "\\",
      "%",
      "x",
      "~",
      "?",
      "é"
    )
    fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const found = routeOf(`/${pieces.join("")}`)
      if (found !== undefined) assert.deepStrictEqual(routeOf(found.path), found)
    }))
  })
})
