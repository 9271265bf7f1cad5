/** The examples of PRICE-23, SPONSOR-5, SPONSOR-6. The laws for every input are in property-tests/Sponsorship.ts. */
import { assert, describe, it } from "@effect/vitest"
import { MicroUsdc } from "../ledger/MicroUsdc.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../chain/ChainId.ts"
import type { PricedCurrency } from "../money/Currency.ts"
import { UsdPrice } from "../money/Usd.ts"
import { type ByComponent, components } from "./Component.ts"
import type { SplitInput } from "./Split.ts"
import { splitActual } from "./SplitActual.ts"
import { splitSponsorship } from "./SplitSponsorship.ts"

const usdc: PricedCurrency = {
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
const ether: PricedCurrency = {
  currency: { ...usdc.currency, symbol: "ETH", decimals: 18 },
  price: UsdPrice(2500n * 10n ** 36n)
}

const free: ByComponent<bigint> = { execution: 0n, swap: 0n, service: 0n, app: 0n, rent: 0n }
const seven: ByComponent<bigint> = {
  execution: 3_000_000n,
  swap: 1_000_000n,
  service: 2_000_000n,
  app: 1_000_000n,
  rent: 0n
}

const request: SplitInput = {
  feeCurrency: usdc,
  totals: seven,
  originGas: 0n,
  selection: { _tag: "Defaulted", components: ["execution", "swap", "service", "app"] },
  sponsor: { _tag: "Key", cap: MicroUsdc(5_000_000n) },
  kind: "direct"
}
const uncapped: SplitInput = { ...request, sponsor: { _tag: "Key", cap: undefined } }

const sponsoredOf = (input: SplitInput) =>
  components.map((component) => splitSponsorship(input).components[component].sponsored)

describe("cap $5.00 and fees $7.00", () => {
  it("sponsor 5.00, user 2.00, the last in the waterfall cut", () => {
    const split = splitSponsorship(request)
    assert.deepStrictEqual([split.sponsoredTotal, split.userPaysTotal, split.capHit, split.outcome], [
      5_000_000n,
      2_000_000n,
      true,
      "capped"
    ])
    assert.deepStrictEqual(sponsoredOf(request), [3_000_000n, 1_000_000n, 1_000_000n, 0n, 0n])
    assert.deepStrictEqual([split.draw, split.receivable], [MicroUsdc(5_000_000n), MicroUsdc(0n)])
  })

  it("the same by deposit address: sponsor 0, user 7.00", () => {
    const split = splitSponsorship({ ...request, kind: "deposit-address" })
    assert.deepStrictEqual([split.sponsoredTotal, split.userPaysTotal, split.capHit, split.outcome], [
      0n,
      7_000_000n,
      true,
      "above-cap"
    ])
    assert.strictEqual(split.draw, MicroUsdc(0n))
  })

  it("a cap of exactly $7.00 is not hit; a millionth less is", () => {
    for (const kind of ["direct", "deposit-address"] as const) {
      const at = splitSponsorship({ ...request, kind, sponsor: { _tag: "Key", cap: MicroUsdc(7_000_000n) } })
      assert.deepStrictEqual([at.capHit, at.userPaysTotal, at.outcome], [false, 0n, "whole"])
      assert.isTrue(splitSponsorship({ ...request, kind, sponsor: { _tag: "Key", cap: MicroUsdc(6_999_999n) } }).capHit)
    }
  })

  it("rent comes before app when the cap is handed out", () => {
    const listed: SplitInput = {
      ...request,
      totals: { ...seven, service: 0n, rent: 1_000_000n },
      selection: { _tag: "Listed", components: ["app", "rent", "swap", "execution"] }
    }
    assert.deepStrictEqual(sponsoredOf(listed), [3_000_000n, 1_000_000n, 0n, 0n, 1_000_000n])
  })
})

describe("the draw", () => {
  it("excludes the app component and books it as a receivable", () => {
    const split = splitSponsorship(uncapped)
    assert.deepStrictEqual([split.userPaysTotal, split.draw, split.receivable], [
      0n,
      MicroUsdc(6_000_000n),
      MicroUsdc(1_000_000n)
    ])
  })

  it("is rounded up to a millionth of a USDC, and never above the cap", () => {
    const dust: SplitInput = { ...uncapped, feeCurrency: ether, totals: { ...free, execution: 400_000_001n } }
    assert.strictEqual(splitSponsorship(dust).draw, MicroUsdc(2n))
    const none = splitSponsorship({ ...dust, sponsor: { _tag: "Key", cap: MicroUsdc(1n) } })
    assert.deepStrictEqual([none.draw, none.components.execution.sponsored, none.components.execution.userPays], [
      MicroUsdc(1n),
      400_000_000n,
      1n
    ])
  })

  it("never takes the origin's gas of a gasless execution", () => {
    const split = splitSponsorship({ ...uncapped, originGas: 1_200_000n })
    assert.deepStrictEqual(split.components.execution, {
      selected: true,
      total: 3_000_000n,
      sponsored: 1_800_000n,
      userPays: 1_200_000n
    })
    assert.strictEqual(splitSponsorship({ ...uncapped, originGas: 4_000_000n }).components.execution.sponsored, 0n)
    assert.strictEqual(splitSponsorship({ ...uncapped, originGas: -5n }).components.execution.sponsored, 3_000_000n)
  })
})

it("a swap that gains is the user's gain and adds no room to the cap", () => {
  const split = splitSponsorship({ ...request, totals: { ...seven, swap: -1_000_000n } })
  assert.strictEqual(split.components.swap.userPays, -1_000_000n)
  assert.deepStrictEqual([split.sponsoredTotal, split.userPaysTotal, split.capHit], [5_000_000n, 0n, true])
})

it("rent that is needed: a list leaves it to the user, a default leaves everything to the user", () => {
  const totals = { ...seven, rent: 500_000n }
  const listed = splitSponsorship({ ...uncapped, totals, selection: { _tag: "Listed", components: ["execution"] } })
  assert.deepStrictEqual([listed.sponsoredTotal, listed.userPaysTotal], [3_000_000n, 4_500_000n])
  const defaulted = splitSponsorship({ ...uncapped, totals })
  assert.deepStrictEqual([defaulted.sponsoredTotal, defaulted.outcome, defaulted.capHit], [
    0n,
    "rent-not-selected",
    false
  ])
})

it("a fee currency without a price cannot be compared with a cap: nothing is sponsored", () => {
  const split = splitSponsorship({ ...request, feeCurrency: { ...usdc, price: UsdPrice(0n) } })
  assert.deepStrictEqual([split.outcome, split.sponsoredTotal, split.userPaysTotal], ["unpriced", 0n, 7_000_000n])
})

it("a cap of zero or less sponsors and draws nothing", () => {
  for (const cap of [MicroUsdc(0n), MicroUsdc(-1n)]) {
    const split = splitSponsorship({ ...request, sponsor: { _tag: "Key", cap } })
    assert.deepStrictEqual([split.capHit, split.sponsoredTotal, split.draw, split.receivable], [
      true,
      0n,
      MicroUsdc(0n),
      MicroUsdc(0n)
    ])
  }
})

it("without a payer or a selection it is off", () => {
  assert.strictEqual(splitSponsorship({ ...request, sponsor: { _tag: "Nobody" } }).outcome, "off")
  const unasked = splitSponsorship({ ...request, selection: { _tag: "Off" } })
  assert.deepStrictEqual([unasked.outcome, unasked.selectedComponents, unasked.capHit], ["off", [], false])
})

it("the usual fully sponsored 100 USDC → USDT: the sum is drawn and the user pays nothing", () => {
  const split = splitSponsorship({
    ...uncapped,
    totals: { ...free, execution: 22_944n, swap: 39_502n, service: 10_000n }
  })
  assert.deepStrictEqual([split.sponsoredTotal, split.userPaysTotal, split.draw], [72_446n, 0n, MicroUsdc(72_446n)])
})

describe("after the fill", () => {
  it("cheaper: drawn less; dearer: the solver's loss", () => {
    const cheaper = splitActual(uncapped, { originGas: 0n, totals: { ...seven, execution: 1_000_000n } })
    assert.deepStrictEqual([cheaper.draw, cheaper.userPaysTotal], [MicroUsdc(4_000_000n), 0n])
    const dearer = splitActual(uncapped, { originGas: 0n, totals: { ...seven, execution: 9_000_000n } })
    assert.deepStrictEqual([dearer.draw, dearer.components.execution.total], [MicroUsdc(6_000_000n), 3_000_000n])
  })

  it("below a cap that the quote had hit, the cap is no longer hit, and no part grows", () => {
    const actual = splitActual(request, { originGas: 0n, totals: { ...seven, execution: 500_000n } })
    assert.deepStrictEqual([actual.capHit, actual.components.service.sponsored, actual.components.app.sponsored], [
      false,
      1_000_000n,
      0n
    ])
    assert.strictEqual(actual.draw, MicroUsdc(2_500_000n))
  })

  it("the user still pays the amount above the cap at a deposit address", () => {
    const actual = splitActual({ ...request, kind: "deposit-address" }, {
      originGas: 0n,
      totals: { ...seven, execution: 0n }
    })
    assert.deepStrictEqual([actual.sponsoredTotal, actual.outcome, actual.capHit], [0n, "above-cap", true])
  })
})
