import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { isNotYet, Refusal, refusalReasons, refuse } from "./Refusal.ts"

describe("refusals", () => {
  it("the table only grows at its end", () => {
    const published = [
      "not-found",
      "not-final",
      "unread",
      "reverted",
      "unknown-chain",
      "wrong-chain",
      "malformed",
      "invalid-order",
      "wrong-order-signature",
      "duplicate-onchain-id",
      "missing-entry",
      "extra-entry",
      "no-deposit",
      "wrong-order-id",
      "wrong-currency",
      "zero-weight",
      "no-order-id",
      "several-order-ids",
      "late",
      "underpaid",
      "calls-not-executed",
      "unknown-refund",
      "zero-refund",
      "no-refund-recipient",
      "invalid-withdrawal",
      "wrong-withdrawal",
      "request-mismatch",
      "invalid-issuance",
      "wrong-transaction",
      "wrong-signature",
      "zero-amount",
      "insufficient-balance",
      "not-observed",
      "no-explorer",
      "too-large"
    ]
    assert.deepStrictEqual(Object.keys(refusalReasons).slice(0, published.length), published)
  })

  it("say what was wrong, within the length of a log line", () => {
    const refused = refuse("underpaid", "x".repeat(10_000))
    assert.isTrue(Result.isFailure(refused) && refused.failure.detail.length === 200)
    assert.strictEqual(new Refusal({ reason: "late", detail: "" }).message, refusalReasons.late)
    assert.isTrue(isNotYet(new Refusal({ reason: "not-final", detail: "", confirmations: 1, needed: 2 })))
    assert.isFalse(isNotYet(new Refusal({ reason: "reverted", detail: "" })))
  })
})
