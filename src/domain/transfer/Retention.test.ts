/**
 * When an unpaid quote may be deleted: only after everything that could still be paid for it, by the clock and by its
 * chain.
 */
import { assert, it } from "@effect/vitest"
import type { Order } from "../order/Order.ts"
import { ChainId } from "../chain/ChainId.ts"
import { mayForget, oldestSpentDay, youngestUnpaid } from "./Retention.ts"
import type { UnpaidQuote } from "./Retention.ts"

const DAY = 24 * 3600
const origin = ChainId.make(616101)

const quote = (terms: object = {}) =>
  ({
    quotedAt: 1_000,
    order: {
      inputs: [{ refunds: [{ deadline: 14 * DAY }, { deadline: 3 }] }],
      output: { deadline: 7 * DAY }
    } as unknown as Order,
    terms: { originChainId: origin, ...terms }
  }) as unknown as UnpaidQuote

const at = (quoted: UnpaidQuote, nowSeconds: number, scannedSeconds: number | undefined) =>
  mayForget(quoted, nowSeconds * 1000, (chain) => chain === origin ? scannedSeconds : undefined)

it("a quote is kept for seven days by the clock, and until its origin was scanned for as long", () => {
  const week = 7 * DAY + 1
  assert.isFalse(at(quote(), week, week + 1))
  assert.isTrue(at(quote(), week + 1, week + 1))
  assert.isFalse(at(quote(), 30 * DAY, week), "the scan is behind")
  assert.isFalse(at(quote(), week, 30 * DAY), "the chain is ahead of the clock")
  assert.isFalse(at(quote(), 30 * DAY, undefined), "nothing is known of the chain")
})

it("one that takes late deposits is kept until the last of its refunds is closed", () => {
  const late = quote({ lateSlippageBps: 100n })
  assert.isFalse(at(late, 14 * DAY, 14 * DAY))
  assert.isTrue(at(late, 14 * DAY + 1, 14 * DAY + 1))
})

it("one with a deposit address is kept for ever", () => {
  const address = quote({ depositAddress: { address: "0x1", mode: "strict", depositor: "0x2" } })
  assert.isFalse(at(address, 10_000 * DAY, 10_000 * DAY))
})

it("a quote that is not selected is always too young", () => {
  assert.strictEqual(youngestUnpaid(8 * DAY * 1000), DAY * 1000)
})

it("a key's spending is kept for today and thirty days before, more than any clock difference", () => {
  assert.strictEqual(oldestSpentDay(40 * DAY * 1000), 10)
  assert.strictEqual(oldestSpentDay(40 * DAY * 1000 - 1), 9)
})
