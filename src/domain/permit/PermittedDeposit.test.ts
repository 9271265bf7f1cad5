/** The outcome of submitting a permit, and which deposits prevent it. */
import { assert, describe, it } from "@effect/vitest"
import { alpha } from "../quote/testing/Chains.ts"
import { now } from "../quote/testing/SignedQuotes.ts"
import { PRICE_HOLD_SECONDS } from "../transfer/deposit/JudgeDeposit.ts"
import { countsForOrder, judgePermitted } from "./PermittedDeposit.ts"
import { AMOUNT, depositOf, forwarder, transferOf, user } from "./testing/PermitTransfers.ts"

const at = (seconds: number, terms: Parameters<typeof transferOf>[0] = {}) =>
  judgePermitted(transferOf(terms), now + seconds)

describe("the deposit of a permit", () => {
  it("is judged as one in a block: the quoted price, another one, or a refund", () => {
    assert.deepInclude(at(1), { _tag: "Fill", verdict: { _tag: "Fill", amountOut: transferOf().terms.amountOut } })
    assert.strictEqual(at(PRICE_HOLD_SECONDS + 1)._tag, "Reprice")
    assert.deepStrictEqual(at(11, { ttlSeconds: 10 }), { _tag: "Refund", reason: "TTL_EXPIRED" })
    assert.deepStrictEqual(at(8 * 86_400), { _tag: "Refund", reason: "ORDER_EXPIRED" })
  })

  it("is refused beside another that counts: the user's own, or a filled one; a stranger's dust does not count", () => {
    const transfer = transferOf()
    const counts = (changes: Parameters<typeof depositOf>[0]) => countsForOrder(transfer, depositOf(changes))
    assert.isTrue(counts({}))
    assert.isTrue(counts({ block: { height: 1n, hash: "0x", time: now + 60 } }))
    assert.isTrue(counts({ sender: user, amount: 1n }))
    assert.isTrue(counts({ forwarder, amount: 1n }))
    assert.isTrue(counts({ sender: user, currency: alpha.native.address }))
    assert.isFalse(counts({ amount: 1n }))
    assert.isFalse(counts({ amount: AMOUNT / 2n }))
    assert.isFalse(counts({ currency: alpha.native.address }))
    assert.isFalse(counts({ block: { height: 1n, hash: "0x", time: now + 8 * 86_400 } }))
  })
})
