import { assert, describe, it } from "@effect/vitest"
import { parseMetricsAddress } from "./MetricsAddress.ts"

describe("METRICS_ADDRESS", () => {
  it("is a host and a port", () => {
    assert.deepStrictEqual(parseMetricsAddress("127.0.0.1:9464"), { host: "127.0.0.1", port: 9464 })
    assert.deepStrictEqual(parseMetricsAddress("[::1]:1"), { host: "::1", port: 1 })
    assert.deepStrictEqual(parseMetricsAddress("metrics.internal:65535"), { host: "metrics.internal", port: 65_535 })
  })

  it("is refused in any other form", () => {
    for (
      const text of [
        "",
        "9464",
        ":9464",
        "127.0.0.1",
        "127.0.0.1:0",
        "127.0.0.1:65536",
        "::1:9464",
        "http://127.0.0.1:9464",
        "a b:1",
        "127.0.0.1:94x"
      ]
    ) {
      assert.isUndefined(parseMetricsAddress(text), text)
    }
  })
})
