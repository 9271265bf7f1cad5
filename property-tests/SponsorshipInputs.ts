/**
 * Inputs for the laws of sponsorship: every kind of request, prices from 1e-18 to 1e12 dollars, 0 to 36 decimals, and
 * caps exactly at, just below and just above the value of the components, where splits are most error-prone.
 */
import * as fc from "fast-check"
import { MicroUsdc } from "../src/domain/ledger/MicroUsdc.ts"
import { ethereumAddresses } from "../src/domain/families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../src/domain/chain/ChainId.ts"
import type { PricedCurrency } from "../src/domain/money/Currency.ts"
import { UsdPrice } from "../src/domain/money/Usd.ts"
import {
  type ByComponent,
  byComponent,
  type Component,
  components,
  sumOver
} from "../src/domain/sponsorship/Component.ts"
import type { Selection } from "../src/domain/sponsorship/Selection.ts"
import type { SplitInput, Sponsor } from "../src/domain/sponsorship/Split.ts"

/** A value in millionths of a dollar as an exact fraction, so the laws compare without rounding. */
export interface Micros {
  readonly numerator: bigint
  readonly denominator: bigint
}

export const microsOf = (units: bigint, { currency, price }: PricedCurrency): Micros => ({
  numerator: units * price,
  denominator: 10n ** BigInt(currency.decimals + 30)
})

export const atMost = ({ denominator, numerator }: Micros, micros: bigint): boolean => numerator <= micros * denominator

/** What a sponsor may be asked to pay: selected components above zero, without the origin's gas. */
export const wantedOf = ({ originGas, selection, totals }: SplitInput): ByComponent<bigint> =>
  byComponent((component) => {
    const wanted = totals[component] - (component === "execution" && originGas > 0n ? originGas : 0n)
    return selection._tag !== "Off" && selection.components.includes(component) && wanted > 0n ? wanted : 0n
  })

/** A positive number of any size up to 10^digits: small and large ones equally often. */
const anySize = (digits: number): fc.Arbitrary<bigint> =>
  fc.integer({ min: 0, max: digits }).chain((size) => fc.bigInt({ min: 0n, max: 10n ** BigInt(size) }))

const currency: fc.Arbitrary<PricedCurrency> = fc.record({
  decimals: fc.integer({ min: 0, max: 36 }),
  magnitude: fc.integer({ min: 18, max: 47 }),
  digits: fc.bigInt({ min: 1n, max: 9_999_999n })
}).map(({ decimals, digits, magnitude }) => ({
  currency: {
    chainId: ChainId.make(1),
    address: ethereumAddresses.nativeCurrency,
    symbol: "FEE",
    name: "Fee currency",
    decimals,
    isNative: true
  },
  price: UsdPrice(digits * 10n ** BigInt(magnitude) / 1_000_000n + 1n)
}))

const dollar: PricedCurrency = {
  currency: {
    chainId: ChainId.make(1),
    address: ethereumAddresses.nativeCurrency,
    symbol: "USDC",
    name: "USD Coin",
    decimals: 6,
    isNative: false
  },
  price: UsdPrice(10n ** 36n)
}

const total: fc.Arbitrary<bigint> = fc.oneof(
  { weight: 6, arbitrary: anySize(40) },
  { weight: 3, arbitrary: fc.bigInt({ min: 0n, max: 20n }) },
  { weight: 1, arbitrary: fc.constant(0n) },
  { weight: 1, arbitrary: anySize(20).map((units) => -units) }
)

const totals: fc.Arbitrary<ByComponent<bigint>> = fc.oneof(
  fc.record({ execution: total, swap: total, service: total, app: total, rent: total }),
  fc.record({ execution: total, swap: total, service: total, app: total, rent: fc.constant(0n) })
)

const selection: fc.Arbitrary<Selection> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Selection>({ _tag: "Off" }) },
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constant("Listed" as const),
      components: fc.subarray<Component>([...components], { minLength: 1 })
    })
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Selection>(
      { _tag: "Defaulted", components: ["execution", "swap", "service", "app"] },
      { _tag: "Defaulted", components: ["execution", "swap", "service", "app", "rent"] }
    )
  }
)

/** A cap of any size, or one within two micro-dollars of the value of the first components. */
const capFor = (input: Omit<SplitInput, "sponsor">): fc.Arbitrary<MicroUsdc | undefined> => {
  const wanted = wantedOf({ ...input, sponsor: { _tag: "Nobody" } })
  const worth = (some: ReadonlyArray<Component>) => {
    const { denominator, numerator } = microsOf(
      sumOver((component) => some.includes(component) ? wanted[component] : 0n),
      input.feeCurrency
    )
    return numerator / denominator
  }
  const near = fc.tuple(fc.subarray<Component>([...components]), fc.bigInt({ min: -2n, max: 2n })).map(([some, off]) =>
    worth(some) + off
  )
  const within = fc.bigInt({ min: 0n, max: worth(components) + 1n })
  return fc.oneof(
    fc.constant(undefined),
    fc.oneof(near, within, anySize(12)).map((micros) => MicroUsdc(micros < 0n ? 0n : micros))
  )
}

const withSponsor = (input: Omit<SplitInput, "sponsor">): fc.Arbitrary<SplitInput> => {
  const key = capFor(input).map((cap): Sponsor => ({ _tag: "Key", cap }))
  const sponsor = fc.oneof({ weight: 1, arbitrary: fc.constant<Sponsor>({ _tag: "Nobody" }) }, {
    weight: 12,
    arbitrary: key
  })
  return sponsor.map((sponsor) => ({ ...input, sponsor }))
}

/** The input of any request. */
export const splitInputs: fc.Arbitrary<SplitInput> = fc.record({
  feeCurrency: fc.oneof(fc.constant(dollar), currency),
  totals,
  originGas: fc.oneof(fc.constant(0n), anySize(40)),
  selection,
  kind: fc.constantFrom("direct" as const, "deposit-address" as const)
}).chain(withSponsor)
