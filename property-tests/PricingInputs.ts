/**
 * Inputs for the laws of pricing: 0 to 36 decimals, prices from 1e-18 to 1e12 dollars, amounts up to 2^256 − 1, every
 * component, every sponsorship, sources that lose and sources that gain; and the exact fractions that roundings are
 * compared with.
 */
import * as fc from "fast-check"
import { MicroUsdc } from "../src/domain/ledger/MicroUsdc.ts"
import { ethereumAddresses } from "../src/domain/families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../src/domain/chain/ChainId.ts"
import { Bps } from "../src/domain/money/Bps.ts"
import type { PricedCurrency } from "../src/domain/money/Currency.ts"
import { Usd, UsdPrice } from "../src/domain/money/Usd.ts"
import type { PricingTerms, SponsorshipTerms } from "../src/domain/quote/pricing/Fees.ts"
import type { SourceQuote } from "../src/domain/quote/pricing/SwapCost.ts"
import { type Component, components } from "../src/domain/sponsorship/Component.ts"

export const MAX_UINT256 = 2n ** 256n - 1n

/** A number of any size up to `max`: small and large ones equally often. */
export const anySize = (max: bigint): fc.Arbitrary<bigint> =>
  fc.integer({ min: 0, max: max.toString(2).length }).chain((bits) => {
    const bound = 2n ** BigInt(bits)
    return fc.bigInt({ min: bound / 2n, max: bound < max ? bound : max })
  })

const priced = (symbol: string): fc.Arbitrary<PricedCurrency> =>
  fc.record({
    decimals: fc.oneof(fc.constantFrom(0, 6, 8, 18, 36), fc.integer({ min: 0, max: 36 })),
    // 36 digits: 1e-18 dollars is 1e18, 1e12 dollars is 1e48.
    price: fc.oneof(
      fc.integer({ min: 18, max: 48 }).map((digits) => 10n ** BigInt(digits)),
      fc.bigInt({ min: 10n ** 18n, max: 10n ** 48n }),
      fc.bigInt({ min: 10n ** 35n, max: 10n ** 37n })
    )
  }).map(({ decimals, price }) => ({
    currency: {
      chainId: ChainId.make(1),
      address: ethereumAddresses.nativeCurrency,
      symbol,
      name: symbol,
      decimals,
      isNative: true
    },
    price: UsdPrice(price)
  }))

const bps = (max: bigint): fc.Arbitrary<Bps> =>
  fc.oneof(fc.constantFrom(0n, 1n, 6n, 15n), fc.bigInt({ min: 0n, max })).map((value) => Bps(value > max ? max : value))

/** Sources that lose up to a third of the market value, or gain up to a tenth, at a simple ratio or an uneven one. */
const sourceFor = (origin: PricedCurrency, destination: PricedCurrency): fc.Arbitrary<SourceQuote | undefined> =>
  fc.oneof(
    fc.constant(undefined),
    fc.tuple(
      fc.bigInt({ min: 6_700n, max: 11_000n }),
      anySize(10n ** 6n),
      fc.option(fc.oneof(anySize(10n ** 12n), anySize(10n ** 6n).map((units) => -units)), { nil: undefined })
    ).map(([per, more, cost]) => ({
      amountIn: 10_000n * destination.price * 10n ** BigInt(origin.currency.decimals) + more,
      amountOut: per * origin.price * 10n ** BigInt(destination.currency.decimals),
      ...(cost === undefined ? {} : { cost })
    }))
  )

/** A sponsor without a cap, with a cap that never matters, or with a cap that limits. */
const sponsor: fc.Arbitrary<SponsorshipTerms["sponsor"]> = fc.oneof(
  fc.constant({ _tag: "Nobody" as const }),
  fc.constant({ _tag: "Key" as const, cap: undefined }),
  anySize(10n ** 40n).map((cap) => ({ _tag: "Key" as const, cap: MicroUsdc(cap) })),
  fc.bigInt({ min: 0n, max: 100_000n }).map((cap) => ({ _tag: "Key" as const, cap: MicroUsdc(cap) }))
)

const defaults: ReadonlyArray<Component> = ["execution", "swap", "service", "app"]

const defaulted = fc.constantFrom<SponsorshipTerms["selection"]>(
  { _tag: "Defaulted", components: defaults },
  { _tag: "Defaulted", components: [...defaults, "rent"] }
)

const listed = fc.subarray<Component>([...components], { minLength: 1 }).map((some): SponsorshipTerms["selection"] => ({
  _tag: "Listed",
  components: some
}))

export const directSponsorship: fc.Arbitrary<SponsorshipTerms> = fc.record({
  selection: fc.oneof(fc.constant<SponsorshipTerms["selection"]>({ _tag: "Off" }), defaulted, listed, listed),
  sponsor,
  kind: fc.constant("direct" as const)
})

/** Deposit addresses do not support a list of components (SPONSOR-7). */
export const cliffSponsorship: fc.Arbitrary<SponsorshipTerms> = fc.record({
  selection: defaulted,
  sponsor,
  kind: fc.constant("deposit-address" as const)
})

/** Terms whose shares add up to less than the whole. */
export const termsWith = (sponsorship: fc.Arbitrary<SponsorshipTerms | undefined>): fc.Arbitrary<PricingTerms> =>
  fc.tuple(priced("IN"), priced("OUT"), priced("GAS"), priced("OGAS")).chain((
    [origin, destination, destinationNative, native]
  ) =>
    fc.record({
      origin: fc.constant(origin),
      destination: fc.constant(destination),
      destinationNative: fc.constant(destinationNative),
      fillGas: anySize(10n ** 20n),
      originGas: fc.option(anySize(10n ** 20n).map((units) => ({ native, units })), { nil: undefined }),
      sweepGas: fc.option(anySize(10n ** 20n).map((units) => ({ native, units })), { nil: undefined }),
      topup: fc.constantFrom(Usd(0n), Usd(2n * 10n ** 18n)),
      rent: fc.oneof(fc.constant(0n), anySize(10n ** 12n)),
      rebalancing: fc.oneof(fc.constant(0n), anySize(10n ** 12n)),
      serviceBps: bps(100n),
      spreadBps: bps(100n),
      appBps: bps(1_000n),
      source: sourceFor(origin, destination),
      sponsorship
    })
  )

/** Coarse units and shares of every size, so that roundings interact within a few units of input. */
export const coarseTerms: fc.Arbitrary<PricingTerms> = fc.record({
  decimals: fc.integer({ min: 0, max: 2 }),
  serviceBps: bps(3_000n),
  spreadBps: bps(3_000n),
  appBps: bps(1_000n),
  more: termsWith(fc.constant(undefined)),
  selection: listed,
  sponsor
}).map(({ appBps, decimals, more, selection, serviceBps, spreadBps, sponsor }) => ({
  origin: { currency: { ...more.origin.currency, decimals }, price: UsdPrice(10n ** 38n) },
  destination: { currency: { ...more.destination.currency, decimals: 6 }, price: UsdPrice(10n ** 36n) },
  destinationNative: more.destinationNative,
  fillGas: 0n,
  serviceBps,
  spreadBps,
  appBps,
  sponsorship: { selection, sponsor, kind: "direct" as const }
}))

/** True when the source gives more than the market. Then one more unit of input can leave two more units. */
export const gains = ({ destination, origin, source, spreadBps }: PricingTerms): boolean =>
  source !== undefined && source.cost === undefined &&
  source.amountOut * destination.price * 10n ** BigInt(origin.currency.decimals) * 10_000n >
    source.amountIn * origin.price * 10n ** BigInt(destination.currency.decimals) * (10_000n + spreadBps)

/**
 * False when a source gives more than the market and rebalancing costs, too: the cliff may then have several edges, and
 * its laws do not apply.
 */
export const hasOneEdge = (terms: PricingTerms): boolean => (terms.rebalancing ?? 0n) === 0n || !gains(terms)
