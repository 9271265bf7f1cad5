/** The user's own deposits come before any deposit of a stranger under the user's order. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { ChainId } from "../../chain/ChainId.ts"
import { CurrencyAddress } from "../../chain/Address.ts"
import { depositOf, stranger, transferOf, user } from "../../permit/testing/PermitTransfers.ts"
import { beta } from "../../quote/testing/Chains.ts"
import { precedenceOf } from "./Precedence.ts"

const { permit: _, ...terms } = transferOf().terms
const transfer = { terms }
const amount = fc.oneof(fc.bigInt({ min: 1n, max: 1_000n }), fc.bigInt({ min: 1n, max: (1n << 256n) - 1n }))
const elsewhere = fc.constantFrom(
  {},
  { currency: CurrencyAddress.make(beta.native.address) },
  { chainId: ChainId.make(beta.id) }
)

describe("which open deposit of an order comes first", () => {
  it("the user's own before any of a stranger, in any currency and amount", () => {
    fc.assert(fc.property(amount, amount, elsewhere, elsewhere, (own, others, mine, theirs) => {
      const first = precedenceOf(transfer, depositOf({ ...mine, sender: user, amount: own }))
      const second = precedenceOf(transfer, depositOf({ ...theirs, sender: stranger, depositor: user, amount: others }))
      assert.isTrue(first > second)
    }))
  })

  it("of one sender the larger one in the quoted currency, before any in another", () => {
    fc.assert(fc.property(amount, amount, elsewhere, fc.constantFrom(user, stranger), (one, two, other, sender) => {
      const of = (units: bigint, changes: typeof other = {}) =>
        precedenceOf(transfer, depositOf({ ...changes, sender, amount: units }))
      assert.strictEqual(of(one) > of(two), one > two)
      if ("currency" in other || "chainId" in other) assert.isTrue(of(one) > of(two, other))
    }))
  })

  it("an amount that no chain can have is no user's", () => {
    const huge = precedenceOf(transfer, depositOf({ sender: stranger, amount: 1n << 300n }))
    assert.isTrue(huge < precedenceOf(transfer, depositOf({ sender: user, amount: 1n })))
  })
})
