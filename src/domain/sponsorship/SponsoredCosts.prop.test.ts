/** Whatever was captured, its components add up to it, and the sums over days, keys and routes to the whole. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { ApiKeyId } from "../api-key/ApiKey.ts"
import { DAY_MS } from "../calendar/Day.ts"
import { Address, CurrencyAddress } from "../chain/Address.ts"
import { ChainId } from "../chain/ChainId.ts"
import { MicroUsdc } from "../ledger/MicroUsdc.ts"
import { UsdPrice } from "../money/Usd.ts"
import { byComponent, sumOver } from "./Component.ts"
import { shareOut, sumCosts } from "./SponsoredCosts.ts"
import type { SponsoredRequest } from "./SponsoredCosts.ts"

const units = fc.bigInt({ min: 0n, max: 10n ** 12n })
const byEach = fc.record({ execution: units, swap: units, service: units, app: units, rent: units })
const currency = {
  chainId: ChainId.make(1),
  address: CurrencyAddress.make("0x00000000000000000000000000000000000000c1"),
  symbol: "D",
  name: "D",
  decimals: 6,
  isNative: false
}
const priced = { currency, price: UsdPrice(10n ** 36n) }

const requests: fc.Arbitrary<SponsoredRequest> = fc.record({
  key: fc.constantFrom("a", "b").map((id) => ApiKeyId.make(id)),
  heldAt: fc.integer({ min: 0, max: 3 * DAY_MS }),
  originChainId: fc.constantFrom(1, 2).map((id) => ChainId.make(id)),
  destinationChainId: fc.constantFrom(1, 2).map((id) => ChainId.make(id)),
  captured: units.map((each) => MicroUsdc(each)),
  gasPaid: units,
  rentPaid: fc.option(units, { nil: undefined }),
  costs: byEach
}).map(({ costs, ...rest }) => ({
  ...rest,
  agreement: {
    wallet: Address.make(`0x${"a1".repeat(20)}`),
    selection: { _tag: "Defaulted", components: ["execution", "swap", "service", "app"] },
    kind: "direct",
    feeCurrency: priced,
    fillNative: priced,
    costs: { totals: costs, originGas: 0n, fillGas: costs.execution }
  },
  charge: { payer: "sponsor", costs: { totals: costs, originGas: 0n, fillGas: costs.execution } }
}))

describe("sponsored costs", () => {
  it("are shared out to the unit, in proportion, and never to app fees", () => {
    fc.assert(
      fc.property(units, byEach, (amount, weights) => {
        const parts = shareOut(amount, weights)
        assert.strictEqual(sumOver((component) => parts[component]), amount)
        assert.strictEqual(parts.app, 0n)
        const whole = sumOver((component) => component === "app" ? 0n : weights[component])
        const exact = byComponent((component) => whole === 0n ? 0n : amount * weights[component] / whole)
        for (const component of ["swap", "service", "rent"] as const) {
          assert.isTrue(parts[component] >= exact[component])
          // What is left by rounding is less than one unit for each component.
          if (whole > 0n) assert.isTrue(parts[component] - exact[component] < 4n)
        }
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("add up over days, keys and routes: nothing is left out, nothing counts twice", () => {
    fc.assert(
      fc.property(fc.array(requests, { maxLength: 20 }), (all) => {
        const costs = sumCosts(all)
        const captured = all.reduce((sum, request) => sum + request.captured, 0n)
        assert.strictEqual(costs.reduce((sum, cost) => sum + cost.captured, 0n), captured)
        assert.strictEqual(costs.reduce((sum, cost) => sum + cost.requests, 0), all.length)
        for (const cost of costs) assert.strictEqual(sumOver((each) => cost.components[each]), cost.captured)
        const places = costs.map((cost) => `${cost.day} ${cost.key} ${cost.originChainId} ${cost.destinationChainId}`)
        assert.strictEqual(new Set(places).size, places.length)
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })
})
