/** What a deposit may deliver, by its quote. */
import { assert, describe, it } from "@effect/vitest"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Fault } from "../Faults.ts"
import { bitcoin, native, token } from "../Terms.ts"
import type { Asked } from "../Users.ts"
import { mostDelivered } from "./Promised.ts"

/** As seed 2010387 was quoted, while a transfer on the ledger cost 20,000: a sweep's and a fill's gas. */
const quoted: Asked = {
  user: 2,
  manner: "at-once",
  origin: "alpha",
  destination: "bitcoin",
  recipient: "",
  currencyIn: token,
  currencyOut: bitcoin,
  amountIn: 30_053_531n,
  amountOut: 2_989_499n,
  gas: 96_460n,
  orderId: "",
  requestId: RequestId.make(`0x${"01".repeat(32)}`),
  at: 0,
  isSponsored: false,
  cap: undefined,
  appBps: 0n
}
const after = (...faults: ReadonlyArray<Fault>) => ({ counts: new Map(faults.map((fault) => [fault, 1])) })

describe("the most that a deposit delivers", () => {
  it("is what was promised, for the quoted amount", () => {
    for (const faults of [after(), after("fee-spike", "price-jumps")]) {
      assert.strictEqual(mostDelivered(quoted, quoted.amountIn, faults), quoted.amountOut)
    }
  })

  it("is for another amount all of the quoted gas more, in a run in which costs can fall, and no more", () => {
    const less = quoted.amountIn - 2n
    assert.strictEqual(mostDelivered(quoted, less, after("node-silent")), quoted.amountOut)
    assert.strictEqual(mostDelivered(quoted, less, after("fee-spike")), quoted.amountOut + 9_646n)
    assert.strictEqual(mostDelivered({ ...quoted, gas: 96_461n }, less, after("node-dear")), quoted.amountOut + 9_647n)
    assert.strictEqual(mostDelivered({ ...quoted, destination: "tron" }, less, after()), quoted.amountOut + 9_646n)
  })

  it("is more after prices have moved", () => {
    assert.isAbove(Number(mostDelivered(quoted, 1n, after("price-jumps"))), Number(quoted.amountOut))
  })

  // Seed 2370996: -136 and 65 basis points at the quote, 287 and -193 half a minute later.
  it("is as much more as the prices of two native coins have moved against each other", () => {
    const coins: Asked = { ...quoted, currencyIn: native, amountIn: 25_858_364n, amountOut: 1_267_098n, gas: 0n }
    const paid = 1_349_998n
    const jumped = (times: number) => ({ counts: new Map<Fault, number>([["price-jumps", times]]) })
    const most = mostDelivered(coins, coins.amountIn - 2n, jumped(4))
    assert.isAtLeast(Number(most), Number(paid))
    assert.isAtMost(Number(most), Number(coins.amountOut) * (10_300 / 9_700) ** 2)
    assert.isBelow(Number(mostDelivered(coins, coins.amountIn - 2n, jumped(1))), Number(paid))
    const fromDollars = { ...coins, currencyIn: token }
    assert.isBelow(Number(mostDelivered(fromDollars, coins.amountIn - 2n, jumped(4))), Number(paid))
    assert.strictEqual(mostDelivered(coins, coins.amountIn, jumped(4)), coins.amountOut)
  })

  it("is that of another price where a sponsor pays, whose money may be gone", () => {
    const sponsored = { ...quoted, isSponsored: true }
    assert.strictEqual(mostDelivered(sponsored, quoted.amountIn, after("fee-spike")), quoted.amountOut + 9_646n)
    assert.strictEqual(mostDelivered(sponsored, quoted.amountIn, after()), quoted.amountOut)
  })
})
