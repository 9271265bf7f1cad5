import { assert, describe, it } from "@effect/vitest"
import { stuckReason } from "./StuckReason.ts"
import type { StuckFacts } from "./StuckReason.ts"

const facts: StuckFacts = { status: "pending", deposits: ["open"], isCapped: false, payment: undefined, held: [] }
const payment = { leg: "refund:0x1", chain: "beta", transactionId: "0xab", state: "sent", outcome: "Pending" } as const

describe("the reason why a request has not ended", () => {
  it("names what blocks it, the cause before its consequences", () => {
    assert.match(stuckReason({ ...facts, payment, held: ["alpha", "beta"] }), /^payments on alpha, beta are held/)
    assert.strictEqual(
      stuckReason({ ...facts, payment }),
      "its refund on beta (0xab) is sent; its chain has not put it into a block: its fees may be too low, or an earlier one of the account is missing"
    )
    assert.strictEqual(
      stuckReason({ ...facts, payment: { ...payment, outcome: "Expired" } }),
      "its refund on beta (0xab) is sent; it expired before it was in a block: it is signed again"
    )
    assert.strictEqual(stuckReason({ ...facts, deposits: [] }), "the store has no deposit for it")
    assert.match(stuckReason({ ...facts, deposits: ["gone", "foreign"] }), /^its deposit is gone, foreign and no work/)
    assert.match(
      stuckReason({ ...facts, status: "delayed", deposits: ["gone", "unrefundable"] }),
      /fix the cause, then retry it$/
    )
    assert.match(
      stuckReason({ ...facts, status: "delayed", deposits: ["gone", "unrefundable"], isCapped: true }),
      /^its refund is held back by UNATTESTED_REFUNDS_USD/
    )
    // A stranger's deposit does not hold the request up.
    assert.match(
      stuckReason({ ...facts, deposits: ["open", "unrefundable"], isCapped: true }),
      /nothing is signed for it/
    )
    assert.match(stuckReason({ ...facts, status: "depositing" }), /waits for the chain/)
    assert.match(stuckReason({ ...facts, status: "delayed" }), /fund it/)
    assert.match(stuckReason(facts), /nothing is signed for it/)
  })
})
