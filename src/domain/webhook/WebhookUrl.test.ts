import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { parseWebhookUrl } from "./WebhookUrl.ts"
import type { WebhookReach } from "./WebhookUrl.ts"

const isAllowed = (reach: WebhookReach, text: string) => Result.isSuccess(parseWebhookUrl(reach, text))

describe("a webhook's URL", () => {
  it("is https to a name or a public address", () => {
    for (
      const text of [
        "https://app.example/hook",
        "https://app.example:8443/a?b=c",
        "https://1.1.1.1/",
        "https://[2606:4700:4700::1111]/",
        "HTTPS://APP.EXAMPLE"
      ]
    ) {
      assert.isTrue(isAllowed("public", text) && isAllowed("local", text), text)
    }
  })

  it("is refused in any other form, however an address is written", () => {
    const refused = [
      "",
      "app.example",
      "ftp://app.example/",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "https://",
      "https://user@app.example/",
      "https://user:password@app.example/",
      "https://app.example/#fragment",
      `https://app.example/${"a".repeat(2_048)}`,
      "https://169.254.169.254/latest/meta-data",
      "https://10.0.0.1/",
      "https://0.0.0.0/",
      "https://[::]/",
      "https://[fe80::1]/",
      "https://[fd00::1]/",
      "https://[::ffff:7f00:1]/",
      "https://[::ffff:127.0.0.1]/",
      "https://[64:ff9b::7f00:1]/",
      "https://[2002:7f00:1::]/",
      "https://0xa9fea9fe/",
      "https://2852039166/",
      "https://0251.0376.0251.0376/",
      "https://169.254.43518/",
      "https://169。254。169。254/",
      "https://１６９.254.169.254/"
    ]
    for (const text of refused) {
      for (const reach of ["public", "local"] as const) assert.isFalse(isAllowed(reach, text), `${reach} ${text}`)
    }
  })

  it("is plain http or on the loopback in the local environment only", () => {
    for (
      const text of [
        "http://app.example/",
        "http://127.0.0.1:3000/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "http://2130706433/",
        "http://127.1/"
      ]
    ) {
      assert.deepStrictEqual([isAllowed("local", text), isAllowed("public", text)], [true, false], text)
    }
  })
})
