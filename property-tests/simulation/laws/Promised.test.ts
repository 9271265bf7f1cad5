/** What a deposit may deliver, by its quote. */
import { assert, describe, it } from "@effect/vitest"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Fault } from "../Faults.ts"
import { bitcoin, token } from "../Terms.ts"
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

  it("is that of another price where a sponsor pays, whose money may be gone", () => {
    const sponsored = { ...quoted, isSponsored: true }
    assert.strictEqual(mostDelivered(sponsored, quoted.amountIn, after("fee-spike")), quoted.amountOut + 9_646n)
    assert.strictEqual(mostDelivered(sponsored, quoted.amountIn, after()), quoted.amountOut)
  })
})
