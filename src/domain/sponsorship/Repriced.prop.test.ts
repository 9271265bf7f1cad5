/**
 * A deposit at another price, and the real cost of its fill: the sponsor pays nothing beyond the quote, and the user
 * pays nothing twice.
 */
import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { atMost, microsOf, splitInputs } from "../../../property-tests/SponsorshipInputs.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { components, sumOver } from "./Component.ts"
import type { Split, SplitInput } from "./Split.ts"
import type { RealCosts } from "./SplitActual.ts"
import { splitRepriced, splitSettled } from "./SplitActual.ts"
import { splitSponsorship } from "./SplitSponsorship.ts"

const change = fc.oneof(
  fc.constant(0n),
  fc.bigInt({ min: -20n, max: 20n }),
  fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n })
)

const costsNear = ({ originGas, totals }: SplitInput): fc.Arbitrary<RealCosts> => {
  const near = (units: bigint) => change.map((off) => units + off)
  const { app, execution, rent, service, swap } = totals
  return fc.record({
    originGas: near(originGas),
    totals: fc.record({
      execution: near(execution),
      swap: near(swap),
      service: near(service),
      app: near(app),
      rent: near(rent)
    })
  })
}

const cases = splitInputs.chain((quote) => fc.tuple(fc.constant(quote), costsNear(quote), costsNear(quote)))

const capOf = ({ sponsor }: SplitInput) => sponsor._tag === "Key" ? sponsor.cap : undefined

const pays = (split: Split) => sumOver((component) => split.components[component].userPays)

const isWithin = (split: Split, bound: Split): boolean =>
  components.every((component) =>
    split.components[component].sponsored >= 0n &&
    split.components[component].sponsored <= bound.components[component].sponsored
  ) &&
  split.sponsoredTotal <= bound.sponsoredTotal && split.draw <= bound.draw && split.receivable <= bound.receivable

const isConserved = (split: Split, { totals }: RealCosts): boolean =>
  components.every((component) => {
    const { sponsored, total, userPays } = split.components[component]
    return total === totals[component] && sponsored + userPays === total
  }) && split.userPaysTotal === pays(split)

describe("a deposit that is priced again", () => {
  it("has no part sponsored above the quoted one, and every part paid by someone", () => {
    fc.assert(
      fc.property(cases, ([quote, costs]) => {
        const repriced = splitRepriced(quote, costs)
        const cap = capOf(quote)
        return isWithin(repriced, splitSponsorship(quote)) && isConserved(repriced, costs) &&
          (cap === undefined || repriced.draw + repriced.receivable === 0n ||
            atMost(microsOf(repriced.sponsoredTotal, quote.feeCurrency), cap))
      }),
      { numRuns: inputs(3_000, 100_000) }
    )
  })

  it("of more than was quoted to an open address is sponsored completely within the quoted bounds, or not at all", () => {
    fc.assert(
      fc.property(cases, ([quote, costs]) => {
        const [quoted, now, repriced] = [
          splitSponsorship(quote),
          splitSponsorship({ ...quote, ...costs }),
          splitRepriced(quote, costs, "user-pays-all")
        ]
        return isWithin(repriced, quoted) && isConserved(repriced, costs) &&
          (now.sponsoredTotal > quoted.sponsoredTotal
            ? repriced.sponsoredTotal === 0n && repriced.outcome === "above-cap"
            : repriced.sponsoredTotal === splitRepriced(quote, costs).sponsoredTotal)
      }),
      { numRuns: inputs(3_000, 100_000) }
    )
  })

  it("at the quoted price equals the quote", () => {
    fc.assert(
      fc.property(splitInputs, (quote) => {
        const repriced = splitRepriced(quote, quote)
        return components.every((component) =>
          repriced.components[component].sponsored === splitSponsorship(quote).components[component].sponsored
        ) &&
          repriced.draw === splitSponsorship(quote).draw && repriced.capHit === splitSponsorship(quote).capHit
      }),
      { numRuns: inputs(2_000, 50_000) }
    )
  })

  it("is settled at or below what was charged, for the sponsor and for the user", () => {
    fc.assert(
      fc.property(cases, ([quote, costs, real]) => {
        const charged = splitRepriced(quote, costs)
        const settled = splitSettled(quote, charged, costs, real)
        return isWithin(settled, charged) &&
          components.every((component) =>
            settled.components[component].total <= charged.components[component].total &&
            settled.components[component].userPays <= charged.components[component].userPays
          )
      }),
      { numRuns: inputs(3_000, 100_000) }
    )
  })
})
