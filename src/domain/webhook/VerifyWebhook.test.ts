import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { createHmac } from "node:crypto"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { verifyWebhook } from "./VerifyWebhook.ts"
import type { ReceivedWebhook } from "./VerifyWebhook.ts"
import { signatureHeaders } from "./WebhookSignature.ts"

const now = 1_800_000_000_000
const body = JSON.stringify({ event: "request.status.updated", note: "é ✓" })
const received = (changes: Partial<ReceivedWebhook> = {}): ReceivedWebhook => ({
  body,
  headers: signatureHeaders(["one"], now, body),
  secrets: ["one"],
  now,
  ...changes
})
const reasonOf = (changes: Partial<ReceivedWebhook>) => {
  const verdict = verifyWebhook(received(changes))
  return verdict.ok ? "ok" : verdict.reason
}

describe("verifying a webhook", () => {
  it("accepts the HMAC that Node computes for the same text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.nat(), (text, secret, at) => {
        const hex = createHmac("sha256", secret.toWellFormed()).update(`${at}.${text.toWellFormed()}`).digest("hex")
        assert.strictEqual(
          signatureHeaders([secret.toWellFormed()], at, text.toWellFormed())["x-signature-sha256"],
          hex
        )
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })

  it("accepts either secret during a rotation, whichever the receiver knows", () => {
    const headers = signatureHeaders(["new", "old"], now, body)
    for (const secrets of [["new"], ["old"], ["new", "old"], ["old", "new"], ["", "old"]]) {
      assert.strictEqual(reasonOf({ headers, secrets }), "ok", secrets.join())
    }
    assert.strictEqual(reasonOf({ headers, secrets: ["older"] }), "wrong-signature")
    assert.strictEqual(reasonOf({ headers: signatureHeaders(["new"], now, body), secrets: ["old"] }), "wrong-signature")
  })

  it("refuses signatures that are missing, malformed, old, early, changed or by an unknown secret", () => {
    const headers = signatureHeaders(["one"], now, body)
    assert.strictEqual(reasonOf({}), "ok")
    assert.strictEqual(reasonOf({ headers: {} }), "missing-headers")
    assert.strictEqual(reasonOf({ headers: { ...headers, "x-signature-timestamp": undefined } }), "missing-headers")
    assert.strictEqual(reasonOf({ headers: { ...headers, "x-signature-sha256": "abc" } }), "malformed-headers")
    assert.strictEqual(reasonOf({ headers: { ...headers, "x-signature-sha256": ["a", "b"] } }), "malformed-headers")
    assert.strictEqual(reasonOf({ headers: { ...headers, "x-signature-timestamp": "now" } }), "malformed-headers")
    assert.strictEqual(reasonOf({ headers: { ...headers, "x-signature-timestamp": `${now + 1}` } }), "wrong-signature")
    assert.strictEqual(reasonOf({ body: `${body} ` }), "wrong-signature")
    assert.strictEqual(reasonOf({ secrets: [] }), "wrong-signature")
    assert.strictEqual(reasonOf({ headers: signatureHeaders([""], now, body), secrets: [""] }), "wrong-signature")
    for (
      const [at, reason] of [[300_000, "ok"], [300_001, "outside-tolerance"], [-300_000, "ok"], [
        -300_001,
        "outside-tolerance"
      ]] as const
    ) {
      assert.strictEqual(reasonOf({ now: now + at }), reason, `${at}`)
    }
    assert.strictEqual(reasonOf({ now: now + 11, tolerance: 10 }), "outside-tolerance")
  })

  it("refuses a signature with any one digit changed", () => {
    const signature = signatureHeaders(["one"], now, body)["x-signature-sha256"] ?? ""
    for (let index = 0; index < signature.length; index++) {
      const digit = signature[index] === "0" ? "1" : "0"
      const changed = signature.slice(0, index) + digit + signature.slice(index + 1)
      assert.strictEqual(
        reasonOf({ headers: { ...received().headers, "x-signature-sha256": changed } }),
        "wrong-signature"
      )
    }
  })
})
