/**
 * An exact output is found in a few evaluations, whoever pays what, because the guess is good (PRICE-13). The laws of
 * pricing check the result itself. A bad guess would give the same result, only later.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { MicroUsdc } from "../../ledger/MicroUsdc.ts"
import { Bps } from "../../money/Bps.ts"
import { components, type Component } from "../../sponsorship/Component.ts"
import type { Sponsor } from "../../sponsorship/Split.ts"
import type { PricingTerms, SponsorshipTerms } from "./Fees.ts"
import { priceExactInput, priceExactOutput } from "./Pricing.ts"
import { alpha, beta, pricedOn } from "../testing/Chains.ts"

const ether = 10n ** 18n
const terms: PricingTerms = {
  origin: pricedOn(alpha, "ETH", "2000"),
  destination: pricedOn(beta, "ETH", "2000"),
  destinationNative: pricedOn(beta, "ETH", "2000"),
  fillGas: ether / 100n,
  originGas: { native: pricedOn(alpha, "ETH", "2000"), units: ether / 200n },
  rent: ether / 50n,
  rebalancing: ether / 70n,
  spreadBps: Bps(8n),
  serviceBps: Bps(15n),
  appBps: Bps(30n)
}

/** The exact output's price, and how often the sponsorship was read: twice per evaluation. */
const pricedBy = (base: PricingTerms, sponsorship: SponsorshipTerms | undefined, amountOut: bigint) => {
  let reads = 0
  const counted: PricingTerms = Object.defineProperty({ ...base }, "sponsorship", {
    enumerable: true,
    get: () => {
      reads += 1
      return sponsorship
    }
  })
  const priced = priceExactOutput(counted, amountOut)
  return { priced, reads }
}

const subsets: ReadonlyArray<ReadonlyArray<Component>> = Array.from(
  { length: 32 },
  (_, bits) => components.filter((_component, index) => (bits >> index) % 2 === 1)
)
const sponsors: ReadonlyArray<Sponsor> = [
  { _tag: "Nobody" },
  ...[undefined, 0n, 20_000_000n, 60_000_000n, 10n ** 15n].map((cap): Sponsor => ({
    _tag: "Key",
    cap: cap === undefined ? undefined : MicroUsdc(cap)
  }))
]
/** A source that gives more than the market: the swap component is negative, and the user gains. */
const gaining: PricingTerms = {
  ...terms,
  rebalancing: 0n,
  source: { amountIn: ether, amountOut: ether * 1_001n / 1_000n }
}

describe("an exact output", () => {
  it("takes at most seven evaluations, for every selection, sponsor and cap, and finds the least input", () => {
    let most = 0
    for (const base of [terms, gaining]) {
      for (const selected of subsets) {
        for (const sponsor of sponsors) {
          for (const _tag of ["Listed", "Defaulted"] as const) {
            const sponsorship: SponsorshipTerms = { selection: { _tag, components: selected }, sponsor, kind: "direct" }
            const { priced, reads } = pricedBy(base, sponsorship, 7n * ether)
            const { amountIn } = Result.getOrThrow(priced)
            const delivers = (input: bigint) =>
              Result.match(priceExactInput({ ...base, sponsorship }, input), {
                onFailure: () => 0n,
                onSuccess: ({ amountOut }) => amountOut
              })
            assert.isTrue(delivers(amountIn) >= 7n * ether && delivers(amountIn - 1n) < 7n * ether)
            most = Math.max(most, reads)
          }
        }
      }
    }
    assert.isAtMost(most, 14)
  })
})

describe("a refusal", () => {
  const messageOf = <A>(result: Result.Result<A, { readonly field?: string | undefined; readonly message: string }>) =>
    Result.isFailure(result) ? `${result.failure.field}: ${result.failure.message}` : "priced"
  const most = 2n ** 256n - 1n

  it("names the problem with the amount, and its solution", () => {
    assert.strictEqual(messageOf(priceExactOutput(terms, 0n)), "amount: the amount must be positive")
    assert.strictEqual(messageOf(priceExactOutput(terms, -1n)), "amount: the amount must be positive")
    assert.match(
      messageOf(priceExactInput(terms, 1n)),
      /^amount: the amount 1 does not cover the fees \d+ .*: send more$/
    )
    assert.strictEqual(messageOf(priceExactOutput(terms, most)), "amount: amount: the input would be beyond 2^256 − 1")
    const rich: PricingTerms = { ...terms, origin: pricedOn(alpha, "ETH", "2000000") }
    assert.strictEqual(messageOf(priceExactInput(rich, most)), "amount: amount: the output would be beyond 2^256 − 1")
  })

  it("for shares that take the whole amount comes first, at exactly the whole and not below it", () => {
    const taking = (appBps: bigint): PricingTerms => ({
      ...terms,
      spreadBps: Bps(0n),
      serviceBps: Bps(0n),
      appBps: Bps(appBps)
    })
    assert.strictEqual(
      messageOf(priceExactInput(taking(10_000n), ether)),
      "amount: the fees that grow with the amount take all of it"
    )
    assert.strictEqual(messageOf(priceExactInput(taking(9_999n), ether * 10_000n)), "priced")
  })

  it("does not apply to what leaves exactly one unit", () => {
    const free: PricingTerms = {
      ...terms,
      fillGas: 0n,
      originGas: undefined,
      rent: 0n,
      rebalancing: 0n,
      spreadBps: Bps(0n),
      serviceBps: Bps(0n),
      appBps: Bps(0n)
    }
    const flat = ether / 100_000n
    assert.strictEqual(Result.getOrThrow(priceExactInput(free, flat + 1n)).amountOut, 1n)
    assert.strictEqual(messageOf(priceExactInput(free, flat)).slice(0, 6), "amount")
    assert.strictEqual(Result.getOrThrow(priceExactInput(free, most)).amountOut, most - flat)
  })
})
