/**
 * The laws of a sponsorship split (SPONSOR-5, SPONSOR-6), for any implementation: `sponsorshipLaws(theirSplit)`.
 *
 * Compared in exact fractions, so the law's own rounding cannot hide an implementation's. Refusals are not covered:
 * whether a sponsor may pay at all is decided before anything is split.
 */
import * as fc from "fast-check"
import { MicroUsdc } from "../src/domain/ledger/MicroUsdc.ts"
import { byComponent, type Component, components, sumOver } from "../src/domain/sponsorship/Component.ts"
import type { Split, SplitInput } from "../src/domain/sponsorship/Split.ts"
import { type Law, law, must } from "./Law.ts"
import { atMost, microsOf, splitInputs, wantedOf } from "./SponsorshipInputs.ts"

type SplitFunction = (input: SplitInput) => Split

const waterfallOrder: ReadonlyArray<Component> = ["execution", "swap", "service", "rent", "app"]

const capOf = ({ sponsor }: SplitInput): MicroUsdc | undefined => sponsor._tag === "Key" ? sponsor.cap : undefined

const isOff = ({ selection, sponsor }: SplitInput): boolean => selection._tag === "Off" || sponsor._tag === "Nobody"

const fallsBack = ({ selection, totals }: SplitInput): boolean =>
  selection._tag === "Defaulted" && totals.rent > 0n && !selection.components.includes("rent")

const isAboveCap = (input: SplitInput): boolean => {
  const cap = capOf(input)
  const wanted = wantedOf(input)
  return cap !== undefined && !atMost(microsOf(sumOver((component) => wanted[component]), input.feeCurrency), cap)
}

const withCap = (input: SplitInput, cap: MicroUsdc): SplitInput => ({ ...input, sponsor: { _tag: "Key", cap } })

const isNothing = (split: Split): boolean =>
  split.sponsoredTotal === 0n && split.draw === 0n && split.receivable === 0n &&
  components.every((component) => split.components[component].sponsored === 0n)

const isEverything = (split: Split, input: SplitInput): boolean =>
  components.every((component) => split.components[component].sponsored === wantedOf(input)[component])

const figures = (split: Split) =>
  [
    split.capHit,
    split.sponsoredTotal,
    split.userPaysTotal,
    split.draw,
    split.receivable,
    ...components.flatMap((component) => Object.values(split.components[component]).map(String).toSorted())
  ].join()

const onInputs = (name: string, check: (input: SplitInput) => void): Law =>
  law(`sponsorship: ${name}`, fc.property(splitInputs, check))

const sums = (split: SplitFunction): ReadonlyArray<Law> => [
  onInputs("sponsored + userPays = total for each component and in sum", (input) => {
    const { components: parts, sponsoredTotal, userPaysTotal } = split(input)
    for (const component of components) {
      const { sponsored, total, userPays } = parts[component]
      must(total === input.totals[component], `${component} has another total`)
      must(sponsored + userPays === total, `${component} is not conserved`)
    }
    must(sponsoredTotal === sumOver((component) => parts[component].sponsored), "sponsoredTotal is not the sum")
    must(userPaysTotal === sumOver((component) => parts[component].userPays), "userPaysTotal is not the sum")
  }),
  onInputs(
    "a sponsored part is never below zero nor above what is selected, positive and not the origin's gas",
    (input) => {
      const wanted = wantedOf(input)
      const parts = split(input).components
      for (const component of components) {
        must(parts[component].sponsored >= 0n, `${component} below zero`)
        must(parts[component].sponsored <= wanted[component], `${component} is sponsored beyond what may be`)
      }
    }
  ),
  onInputs("what is not selected is never sponsored, and says so", (input) => {
    const { components: parts, selectedComponents } = split(input)
    const asked = input.selection._tag === "Off" ? [] : input.selection.components
    for (const component of components) {
      must(parts[component].selected === asked.includes(component), `${component} has the wrong mark`)
      must(selectedComponents.includes(component) === asked.includes(component), `${component} is listed wrongly`)
      must(parts[component].selected || parts[component].sponsored === 0n, `${component} is sponsored unselected`)
    }
  }),
  onInputs("without a key or without subsidizeFees nothing is sponsored, drawn or owed", (input) => {
    must(isNothing(split({ ...input, sponsor: { _tag: "Nobody" } })), "sponsored without a key")
    must(isNothing(split({ ...input, selection: { _tag: "Off" } })), "sponsored unasked")
  })
]

const caps = (split: SplitFunction): ReadonlyArray<Law> => [
  onInputs("the cap is never passed: not by the sponsored total, not by draw and receivable together", (input) => {
    const cap = capOf(input)
    if (cap === undefined) return
    const { draw, receivable, sponsoredTotal } = split(input)
    must(atMost(microsOf(sponsoredTotal, input.feeCurrency), cap), "sponsored above the cap")
    must(draw + receivable <= cap, "charged above the cap")
  }),
  onInputs("capHit exactly when the selected components are worth more than the cap", (input) => {
    must(split(input).capHit === (!isOff(input) && !fallsBack(input) && isAboveCap(input)), "capHit is wrong")
  }),
  onInputs("at or below the cap everything selected is sponsored", (input) => {
    if (isOff(input) || fallsBack(input) || isAboveCap(input)) return
    must(isEverything(split(input), input), "something selected is left to the user")
  }),
  onInputs("above the cap not one unit more would fit under it", (input) => {
    const cap = capOf(input)
    if (cap === undefined || isOff(input) || fallsBack(input) || !isAboveCap(input) || input.kind !== "direct") return
    must(!atMost(microsOf(split(input).sponsoredTotal + 1n, input.feeCurrency), cap), "part of the cap is left over")
  }),
  onInputs("the waterfall: who is cut leaves nothing for those after", (input) => {
    const wanted = wantedOf(input)
    const { components: parts } = split(input)
    const cut = waterfallOrder.findIndex((component) => parts[component].sponsored < wanted[component])
    const after = cut === -1 ? [] : waterfallOrder.slice(cut + 1)
    must(after.every((component) => parts[component].sponsored === 0n), "somebody later got a share")
  }),
  law(
    "sponsorship: raising a cap never lowers any component's share",
    fc.property(
      splitInputs,
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.bigInt({ min: 0n, max: 10n ** 9n }),
      (input, drawn, more) => {
        const low = MicroUsdc(capOf(input) ?? drawn)
        const direct: SplitInput = { ...input, kind: "direct" }
        const before = split(withCap(direct, low)).components
        const after = split(withCap(direct, MicroUsdc(low + more))).components
        for (const component of components) {
          must(
            before[component].sponsored <= after[component].sponsored,
            `${component} lost`
          )
        }
      }
    )
  )
]

const rules = (split: SplitFunction): ReadonlyArray<Law> => [
  onInputs("at a deposit address all or nothing, and nothing above the cap", (input) => {
    const request: SplitInput = { ...input, kind: "deposit-address" }
    const answer = split(request)
    must(isNothing(answer) || isEverything(answer, request), "a part of it is sponsored")
    must(!isAboveCap(request) || isNothing(answer), "sponsored above the cap")
  }),
  onInputs("rent that a default does not cover makes the whole request user-paid", (input) => {
    must(!fallsBack(input) || isNothing(split(input)), "sponsored although rent is not")
  }),
  onInputs("rent that a list leaves out is the user's and changes nobody else's share", (input) => {
    if (input.selection._tag !== "Listed" || input.selection.components.includes("rent")) return
    const answer = split(input)
    must(answer.components.rent.sponsored === 0n, "rent is sponsored unselected")
    const without = split({ ...input, totals: { ...input.totals, rent: 0n } })
    must(without.sponsoredTotal === answer.sponsoredTotal && without.draw === answer.draw, "rent changed the others")
  }),
  onInputs("app fees are never drawn: the draw is the rest, rounded up, at most the cap", (input) => {
    const { components: parts, draw, sponsoredTotal } = split(input)
    const rest = microsOf(sponsoredTotal - parts.app.sponsored, input.feeCurrency)
    must(draw === capOf(input) || atMost(rest, draw), "less is drawn than sponsored")
    must(draw === 0n || !atMost(rest, draw - 1n), "more is drawn than sponsored, rounded up")
  }),
  onInputs(
    "what is sponsored is charged in full: draw and receivable are its worth, rounded up, at most the cap",
    (input) => {
      const { draw, receivable, sponsoredTotal } = split(input)
      const worth = microsOf(sponsoredTotal, input.feeCurrency)
      must(receivable >= 0n, "a receivable below zero")
      must(draw + receivable === capOf(input) || atMost(worth, draw + receivable), "less is charged than sponsored")
      must(
        draw + receivable === 0n || !atMost(worth, draw + receivable - 1n),
        "more is charged than sponsored, rounded up"
      )
    }
  ),
  onInputs("a total of zero or less is the user's and changes no comparison", (input) => {
    const raised = byComponent((component) => (input.totals[component] < 0n ? 0n : input.totals[component]))
    const [answer, other] = [split(input), split({ ...input, totals: raised })]
    must(
      components.every((component) => answer.components[component].sponsored === other.components[component].sponsored),
      "a loss was shared"
    )
  }),
  law(
    "sponsorship: the order in which components are named is irrelevant, and naming one twice too",
    fc.property(splitInputs, fc.shuffledSubarray<Component>([...components], { minLength: 5 }), (input, order) => {
      const { selection, totals } = input
      if (selection._tag === "Off") return
      const named = order.filter((component) => selection.components.includes(component))
      const shuffled: SplitInput = {
        ...input,
        totals: {
          rent: totals.rent,
          app: totals.app,
          service: totals.service,
          swap: totals.swap,
          execution: totals.execution
        },
        selection: { _tag: selection._tag, components: [...named, ...named.slice(0, 1)] }
      }
      must(figures(split(shuffled)) === figures(split(input)), "another order gave another split")
      must(
        split(shuffled).selectedComponents.join() === split(input).selectedComponents.join(),
        "another order is answered"
      )
    })
  ),
  onInputs("idempotent: splitting what is sponsored sponsors all of it again", (input) => {
    const first = split(input)
    const again = split({
      ...input,
      originGas: 0n,
      totals: byComponent((component) => first.components[component].sponsored)
    })
    must(
      components.every((component) => again.components[component].sponsored === first.components[component].sponsored),
      "not idempotent"
    )
    must(again.draw === first.draw && again.receivable === first.receivable, "charged otherwise the second time")
    must(figures(split(input)) === figures(first), "the same input gave another split")
  })
]

/** All laws of a split. `check` throws fast-check's report with the shrunk input that violates the law. */
export const sponsorshipLaws = (
  split: SplitFunction
): ReadonlyArray<Law> => [...sums(split), ...caps(split), ...rules(split)]
