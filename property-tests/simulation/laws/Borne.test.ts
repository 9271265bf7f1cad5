/** What the solver bears of refunds, to the unit. */
import { assert, describe, it } from "@effect/vitest"
import { chainIds, depository, solver, token, native } from "../Terms.ts"
import { borneOf } from "./Borne.ts"

const deposit = { slug: "alpha" as const, id: "in", sender: "a user", currency: native, amount: 76_309n, solverFee: 0n }
const refund = { ...deposit, id: "out", sender: solver, amount: 76_280n, solverFee: 1_000n }
const books = {
  deposits: [
    { onchain_id: "0x1", chain_id: chainIds.alpha, transaction_id: "in", deposit_id: depository, state: "refunded" }
  ],
  payments: [{
    order_id: "",
    leg: "refund:0x1",
    chain_id: chainIds.alpha,
    transaction_id: "out",
    state: "included",
    recipient: "a user",
    currency: native,
    amount: "76280"
  }]
}

describe("what the solver bears of refunds", () => {
  // As in seed 2011153.
  it("is a refund's gas beyond what it keeps", () => {
    assert.strictEqual(borneOf([deposit, refund], books), 971n)
  })

  it("is the gas of the sweep, too", () => {
    assert.strictEqual(borneOf([{ ...deposit, solverFee: 1_000n }, refund], books), 1_971n)
  })

  it("is nothing where a refund keeps its gas, and never less than nothing", () => {
    for (const amount of [75_309n, 1n]) assert.strictEqual(borneOf([deposit, { ...refund, amount }], books), 0n)
    const tokens = { ...deposit, currency: token, amount: 1_000n }
    assert.strictEqual(borneOf([tokens, { ...refund, currency: token, amount: 500n }], books), 0n)
  })

  it("is nothing of a fill, of a refund that no block has, or of one without its deposit", () => {
    const fills = { ...books, payments: books.payments.map((each) => ({ ...each, leg: "fill" })) }
    assert.strictEqual(borneOf([deposit, refund], fills), 0n)
    assert.strictEqual(borneOf([deposit], books), 0n)
    assert.strictEqual(borneOf([refund], books), 0n)
    assert.strictEqual(borneOf([{ ...deposit, slug: "beta" }, refund], books), 0n)
  })
})
