import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { CurrencyAddress } from "../../chain/Address.ts"
import { alpha } from "../../quote/testing/Chains.ts"
import { isMintable, MOST_DEPOSITS } from "./Mintable.ts"

const configured = fc.constantFrom(...alpha.currencies.map(({ address }) => address))
const madeUp = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) =>
  CurrencyAddress.make(`0x${Buffer.from(bytes).toString("hex")}`)
)

describe("the deposits of a transaction", () => {
  it("can be minted when all are in configured currencies and there are not too many", () => {
    fc.assert(
      fc.property(
        fc.array(configured, { maxLength: 2 * MOST_DEPOSITS }),
        (currencies) =>
          isMintable(alpha, currencies.map((currency) => ({ currency }))) === (currencies.length <= MOST_DEPOSITS)
      ),
      { numRuns: inputs(200, 5_000) }
    )
    const some = (length: number) => Array.from({ length }, () => ({ currency: alpha.native.address }))
    assert.deepStrictEqual([isMintable(alpha, some(MOST_DEPOSITS)), isMintable(alpha, some(MOST_DEPOSITS + 1))], [
      true,
      false
    ])
  })

  it("cannot be minted when any of them is in another currency, at any place", () => {
    fc.assert(
      fc.property(fc.array(configured, { maxLength: 20 }), madeUp, fc.nat(), (currencies, other, at) => {
        const place = at % (currencies.length + 1)
        const all = [...currencies.slice(0, place), other, ...currencies.slice(place)]
        return !isMintable(alpha, all.map((currency) => ({ currency })))
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })
})
