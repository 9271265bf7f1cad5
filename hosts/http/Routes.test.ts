import { assert, it } from "@effect/vitest"
import { OracleApi } from "../oracle/endpoints/OracleApi.ts"
import { TransferApi } from "../transfer/endpoints/TransferApi.ts"
import { makeRouteOf } from "./Routes.ts"

it("a path is known by its declared pattern, and no other path is", () => {
  const routeOf = makeRouteOf(TransferApi, ["/metrics", "/documentation/errors/:code"])
  const known = (path: string) => {
    const route = routeOf(path)
    return route === undefined ? undefined : [route.pattern, [...route.methods].toSorted().join()]
  }
  assert.deepStrictEqual(known("/quote"), ["/quote", "POST"])
  assert.deepStrictEqual(known("/admin/pauses"), ["/admin/pauses", "GET,POST"])
  assert.deepStrictEqual(known("/admin/pauses/anything"), ["/admin/pauses/:id", "DELETE"])
  assert.deepStrictEqual(known("/documentation/errors/X"), ["/documentation/errors/:code", "GET"])
  assert.deepStrictEqual(known("/metrics"), ["/metrics", "GET"])
  for (const path of ["", "/", "/quote;", "/%2Fquote", "/quote/x", "/admin/pauses/a/b", "/__proto__", "/constructor"]) {
    assert.isUndefined(routeOf(path), path)
  }
  assert.strictEqual(
    makeRouteOf(OracleApi, [])("/attestations/solver-fills/v1")?.pattern,
    "/attestations/solver-fills/v1"
  )
})
