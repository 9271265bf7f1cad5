import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { parseHeaders, targetOf } from "./ObservabilityVariables.ts"

describe("the destination of traces", () => {
  it("is the endpoint's /v1/traces, with the URL's credentials in a header", () => {
    const target = (url: string, headers?: string) =>
      targetOf(Redacted.make(url), headers === undefined ? undefined : Redacted.make(headers))
    assert.deepStrictEqual(target("http://collector:4318"), { url: "http://collector:4318/v1/traces", headers: {} })
    assert.strictEqual(target("http://collector/otlp/").url, "http://collector/otlp/v1/traces")
    assert.deepStrictEqual(target("https://user:p%40ss@collector", "x-team=a%20b"), {
      url: "https://collector/v1/traces",
      headers: { authorization: `Basic ${btoa("user:p@ss")}`, "x-team": "a b" }
    })
    assert.strictEqual(
      target("https://user:pass@collector", "Authorization=Bearer%20key").headers["authorization"],
      "Bearer key"
    )
  })

  it("takes headers with percent-encoded values, and refuses malformed ones", () => {
    assert.deepStrictEqual(parseHeaders("a=1, B = x%3Dy ,c="), { a: "1", b: "x=y", c: "" })
    for (const wrong of ["a", "=1", "a b=1", "a=%zz", "a=1,,b=2", "a=%0d%0aset-cookie:x", "ä=1"]) {
      assert.isUndefined(parseHeaders(wrong), wrong)
    }
  })
})
