/**
 * The laws of the split after the fill (SPONSOR-11): whatever the real costs, neither party pays more than was quoted.
 */
import * as fc from "fast-check"
import { components } from "../src/domain/sponsorship/Component.ts"
import type { Split, SplitInput } from "../src/domain/sponsorship/Split.ts"
import type { RealCosts } from "../src/domain/sponsorship/SplitActual.ts"
import { type Law, law, must } from "./Law.ts"
import { atMost, microsOf, splitInputs } from "./SponsorshipInputs.ts"

const change: fc.Arbitrary<bigint> = fc.oneof(
  fc.constant(0n),
  fc.bigInt({ min: -20n, max: 20n }),
  fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n })
)

const realCosts = (input: SplitInput): fc.Arbitrary<RealCosts> => {
  const near = (units: bigint) => change.map((off) => units + off)
  const { app, execution, rent, service, swap } = input.totals
  return fc.record({
    originGas: near(input.originGas),
    totals: fc.record({
      execution: near(execution),
      swap: near(swap),
      service: near(service),
      app: near(app),
      rent: near(rent)
    })
  })
}

const cases = splitInputs.chain((input) => fc.tuple(fc.constant(input), realCosts(input)))

/** `split` is the quoted split, `actual` the split of real costs under the quote's conditions. */
export const actualSplitLaws = (
  split: (input: SplitInput) => Split,
  actual: (input: SplitInput, real: RealCosts) => Split
): ReadonlyArray<Law> => [
  law(
    "sponsorship: actual is never above quoted: no component, no sponsored part, nothing the user pays, not the draw",
    fc.property(cases, ([input, real]) => {
      const quoted = split(input)
      const after = actual(input, real)
      for (const component of components) {
        must(after.components[component].total <= quoted.components[component].total, `${component} costs more`)
        must(
          after.components[component].sponsored <= quoted.components[component].sponsored,
          `more of ${component} is sponsored`
        )
        must(
          after.components[component].userPays <= quoted.components[component].userPays,
          `the user pays more for ${component}`
        )
      }
      must(after.sponsoredTotal <= quoted.sponsoredTotal, "more is sponsored")
      must(after.draw <= quoted.draw, "more is drawn")
      must(after.receivable <= quoted.receivable, "more is owed")
    })
  ),
  law(
    "sponsorship: actual is conserved too",
    fc.property(cases, ([input, real]) => {
      const after = actual(input, real)
      for (const component of components) {
        const { sponsored, total, userPays } = after.components[component]
        must(sponsored >= 0n && sponsored + userPays === total, `${component} is not conserved`)
      }
      must(
        after.sponsoredTotal + after.userPaysTotal ===
          components.reduce((sum, component) => sum + after.components[component].total, 0n),
        "the totals are not the sum"
      )
    })
  ),
  law(
    "sponsorship: actual draws what is actually sponsored without app fees, rounded up, at most the cap",
    fc.property(cases, ([input, real]) => {
      const after = actual(input, real)
      const worth = microsOf(after.sponsoredTotal - after.components.app.sponsored, input.feeCurrency)
      const cap = input.sponsor._tag === "Key" ? input.sponsor.cap : undefined
      must(after.draw === cap || atMost(worth, after.draw), "less is drawn than sponsored")
      must(after.draw === 0n || !atMost(worth, after.draw - 1n), "more is drawn than sponsored")
    })
  ),
  law(
    "sponsorship: real costs equal to the quoted ones give the quoted split",
    fc.property(splitInputs, (input) => {
      const quoted = split(input)
      const after = actual(input, input)
      must(after.draw === quoted.draw && after.receivable === quoted.receivable, "charged otherwise")
      must(
        components.every((component) =>
          after.components[component].sponsored === quoted.components[component].sponsored
        ),
        "split otherwise"
      )
      must(after.outcome === quoted.outcome && after.capHit === quoted.capHit, "explained otherwise")
    })
  )
]
