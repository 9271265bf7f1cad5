/**
 * What a quote fixed about its sponsorship, as the transfer keeps it: who pays, what was selected, the cap, the fees,
 * and the prices that they were converted at.
 *
 * Facts only: every split of the transfer's life follows from them (`SplitInput`), so that it can be made again from
 * the record. Not for what was decided when a deposit came: that is `Charge`.
 */
import * as Schema from "effect/Schema"
import { MicroUsdcFromString } from "../ledger/MicroUsdc.ts"
import { Address } from "../chain/Address.ts"
import { Currency } from "../money/Currency.ts"
import type { PricedCurrency } from "../money/Currency.ts"
import { UsdPrice } from "../money/Usd.ts"
import { byComponent, Component } from "./Component.ts"
import type { Fees } from "../quote/pricing/Fees.ts"
import type { SplitInput } from "./Split.ts"

const Units = Schema.BigIntFromString

/** A currency at the price of the quote. */
const Priced = Schema.Struct({ currency: Currency, price: Units.pipe(Schema.fromBrand("UsdPrice", UsdPrice)) })

/** The fees of one price, smallest units of the fee currency. */
export const Costs = Schema.Struct({
  totals: Schema.Struct({ execution: Units, swap: Units, service: Units, app: Units, rent: Units }),
  /** The part of execution that is the origin's gas of a gasless request. */
  originGas: Units,
  /** The part of execution that is the fill's gas: what is known better once it was paid. */
  fillGas: Units
})
export type Costs = typeof Costs.Type

/** The fees of a price as costs. */
export const costsOf = (fees: Fees): Costs => ({
  totals: byComponent((component) => fees[component]),
  originGas: fees.originGas,
  fillGas: fees.fillGas
})

const components = { components: Schema.Array(Component) }

/** Who pays which fees of a quote, as it was agreed on. */
export const Agreement = Schema.Struct({
  /** Whose app balance pays: an account of the settlement chain. */
  wallet: Address,
  selection: Schema.Union([Schema.TaggedStruct("Defaulted", components), Schema.TaggedStruct("Listed", components)]),
  /** The cap of the request, else the default of its key; absent when the balance alone limits. */
  cap: Schema.optionalKey(MicroUsdcFromString),
  kind: Schema.Literals(["direct", "deposit-address"]),
  feeCurrency: Priced,
  /** What the fill's gas is paid in. */
  fillNative: Priced,
  costs: Costs
})
export type Agreement = typeof Agreement.Type

/** What the quoted split was made from. */
export const quotedInput = ({ cap, costs, feeCurrency, kind, selection }: Agreement): SplitInput => ({
  feeCurrency: feeCurrency satisfies PricedCurrency,
  totals: costs.totals,
  originGas: costs.originGas,
  selection,
  sponsor: { _tag: "Key", cap },
  kind
})
