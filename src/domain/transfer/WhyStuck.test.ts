import { assert, describe, it } from "@effect/vitest"
import { whyStuck } from "./WhyStuck.ts"
import type { StuckFacts } from "./WhyStuck.ts"

const facts: StuckFacts = { status: "pending", deposits: ["open"], isCapped: false, payment: undefined, held: [] }
const payment = { leg: "refund:0x1", chain: "beta", transactionId: "0xab", state: "sent", outcome: "Pending" } as const

describe("why a request has not ended", () => {
  it("names what holds it up, the cause before its consequences", () => {
    assert.match(whyStuck({ ...facts, payment, held: ["alpha", "beta"] }), /^payments on alpha, beta are held/)
    assert.strictEqual(
      whyStuck({ ...facts, payment }),
      "its refund on beta (0xab) is sent; its chain has not put it into a block: its fees may be too low, or an earlier one of the account is missing"
    )
    assert.strictEqual(
      whyStuck({ ...facts, payment: { ...payment, outcome: "Expired" } }),
      "its refund on beta (0xab) is sent; its time is over, and no block has it: it is signed anew"
    )
    assert.strictEqual(whyStuck({ ...facts, deposits: [] }), "the store has no deposit for it")
    assert.match(whyStuck({ ...facts, deposits: ["gone", "foreign"] }), /^its deposit is gone, foreign and nothing/)
    assert.match(
      whyStuck({ ...facts, status: "delayed", deposits: ["gone", "unrefundable"] }),
      /retry it once that is mended$/
    )
    assert.match(
      whyStuck({ ...facts, status: "delayed", deposits: ["gone", "unrefundable"], isCapped: true }),
      /^its deposit is held back by UNATTESTED_REFUNDS_USD/
    )
    // What a stranger sent does not hold the request up.
    assert.match(whyStuck({ ...facts, deposits: ["open", "unrefundable"], isCapped: true }), /nothing is signed for it/)
    assert.match(whyStuck({ ...facts, status: "depositing" }), /waits for the chain/)
    assert.match(whyStuck({ ...facts, status: "delayed" }), /fund it/)
    assert.match(whyStuck(facts), /nothing is signed for it/)
  })
})
