/**
 * What a quote fixed about its sponsorship, as stored with the transfer: the paying wallet, the selection, the cap, the
 * fees, and the prices that converted them.
 *
 * Facts only: every later split of the transfer follows from them (`SplitInput`), so it can be reproduced from the
 * record. Not for what was decided when a deposit arrived: that is `Charge`.
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
  /** The part of execution that is the fill's gas, which is known more exactly once it was paid. */
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

/** Who pays which fees of a quote, as agreed. */
export const Agreement = Schema.Struct({
  /** The wallet whose app balance pays: an account of the settlement chain. */
  wallet: Address,
  selection: Schema.Union([Schema.TaggedStruct("Defaulted", components), Schema.TaggedStruct("Listed", components)]),
  /** The request's cap, else its key's default; absent when only the balance limits the draw. */
  cap: Schema.optionalKey(MicroUsdcFromString),
  kind: Schema.Literals(["direct", "deposit-address"]),
  feeCurrency: Priced,
  /** The currency of the fill's gas. */
  fillNative: Priced,
  costs: Costs
})
export type Agreement = typeof Agreement.Type

/** The input that the quoted split was made from. */
export const quotedInput = ({ cap, costs, feeCurrency, kind, selection }: Agreement): SplitInput => ({
  feeCurrency: feeCurrency satisfies PricedCurrency,
  totals: costs.totals,
  originGas: costs.originGas,
  selection,
  sponsor: { _tag: "Key", cap },
  kind
})
