/**
 * The price of a deposit, shown in the currency that the user pays with and that is swapped before the deposit
 * (PRICE-16).
 *
 * Every component is converted at the market and rounded up; the swap component is the remainder, so that the members
 * add up as in every quote: paid − fees of the user = the worth of the delivery. The cost of the origin's swap is never
 * sponsored.
 */
import type { PricedCurrency } from "../../money/Currency.ts"
import { convertCeil, convertFloor } from "../../money/Currency.ts"
import { minOf } from "../../money/Rounding.ts"
import { byComponent } from "../../sponsorship/Component.ts"
import type { Component } from "../../sponsorship/Component.ts"
import type { Share, Split } from "../../sponsorship/Split.ts"
import type { Fees } from "./Fees.ts"
import type { Priced } from "./Pricing.ts"

/** The currency and amount that the price is shown in. */
export interface PaidBy {
  /** Smallest units of `paid`. */
  readonly amount: bigint
  readonly paid: PricedCurrency
  readonly deposited: PricedCurrency
}

const others = ["execution", "service", "app", "rent"] as const satisfies ReadonlyArray<Component>

const sum = (units: ReadonlyArray<bigint>): bigint => units.reduce((all, each) => all + each, 0n)

/** `left`: the part of the paid amount that is left for the user. */
const splitOf = (
  split: Split,
  fees: Fees,
  left: bigint,
  amount: bigint,
  converted: (units: bigint) => bigint
): Split => {
  const shareOf = (component: Component, total: bigint): Share => {
    const { selected, sponsored } = split.components[component]
    const borne = minOf(converted(sponsored), total)
    return { selected, total, sponsored: borne, userPays: total - borne }
  }
  const rest = {
    execution: shareOf("execution", fees.execution),
    service: shareOf("service", fees.service),
    app: shareOf("app", fees.app),
    rent: shareOf("rent", fees.rent)
  }
  const sponsored = converted(split.components.swap.sponsored)
  const userPays = amount - left - sum(others.map((name) => rest[name].userPays))
  const components = {
    ...rest,
    swap: { selected: split.components.swap.selected, total: userPays + sponsored, sponsored, userPays }
  }
  return {
    ...split,
    components,
    sponsoredTotal: sum(Object.values(byComponent((name) => components[name].sponsored))),
    userPaysTotal: amount - left
  }
}

/** `price` is the price of the expected deposit. */
export const pricedAsPaid = (price: Priced, { amount, deposited, paid }: PaidBy): Priced => {
  const converted = (units: bigint) => convertCeil(units, deposited, paid)
  const left = convertFloor(price.amountIn - price.userPays, deposited, paid)
  const known: Fees = {
    relayerGas: converted(price.fees.relayerGas),
    originGas: converted(price.fees.originGas),
    fillGas: converted(price.fees.fillGas),
    execution: converted(price.fees.execution),
    swap: 0n,
    service: converted(price.fees.service),
    app: converted(price.fees.app),
    rent: converted(price.fees.rent)
  }
  const split = price.split === undefined ? undefined : splitOf(price.split, known, left, amount, converted)
  const swap = split === undefined
    ? amount - left - sum(others.map((name) => known[name]))
    : split.components.swap.total
  return { amountIn: amount, amountOut: price.amountOut, userPays: amount - left, fees: { ...known, swap }, split }
}
