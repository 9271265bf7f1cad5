/** Who pays for a fill, and its real cost: gas is only an estimate until then. */
import { assert, describe, it } from "@effect/vitest"
import { MicroUsdc } from "../ledger/MicroUsdc.ts"
import { utcDay } from "../calendar/Day.ts"
import { Address } from "../chain/Address.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../chain/ChainId.ts"
import { UsdPrice } from "../money/Usd.ts"
import { type Agreement, costsOf, quotedInput } from "./Agreement.ts"
import { budgetLeft, laterLeft } from "./Budget.ts"
import { actualSplit, chargedSplit } from "./Charge.ts"
import type { Charge } from "./Charge.ts"
import { splitSponsorship } from "./SplitSponsorship.ts"

const currency = (symbol: string, decimals: number) => ({
  chainId: ChainId.make(1),
  address: ethereumAddresses.nativeCurrency,
  symbol,
  name: symbol,
  decimals,
  isNative: decimals === 18
})

/** Execution of two cents plus fifteen cents of gas, eight dollars of swap, one of service and two of app fees. */
const fees = {
  relayerGas: 150_000n,
  originGas: 0n,
  fillGas: 150_000n,
  execution: 170_000n,
  swap: 8_000_000n,
  service: 1_000_000n,
  app: 2_000_000n,
  rent: 0n
}
const costs = costsOf(fees)

const agreement: Agreement = {
  wallet: Address.make(`0x${"5b".repeat(20)}`),
  selection: { _tag: "Defaulted", components: ["execution", "swap", "service", "app"] },
  kind: "direct",
  feeCurrency: { currency: currency("USDC", 6), price: UsdPrice(10n ** 36n) },
  fillNative: { currency: currency("ETH", 18), price: UsdPrice(2_500n * 10n ** 36n) },
  costs
}

const bySponsor: Charge = { payer: "sponsor", costs }

/** Gas worth this many cents at the quote's price. */
const cents = (count: bigint): bigint => count * 10n ** 16n / 2_500n

describe("a charge", () => {
  it("at the quoted price is the quoted split", () => {
    assert.deepStrictEqual(chargedSplit(agreement, bySponsor), splitSponsorship(quotedInput(agreement)))
  })

  it("is the user's alone when the sponsor's money could not be held", () => {
    const { draw, outcome, receivable, sponsoredTotal, userPaysTotal } = chargedSplit(agreement, {
      payer: "user",
      costs
    })
    assert.deepStrictEqual([outcome, sponsoredTotal, userPaysTotal, draw, receivable], [
      "off",
      0n,
      11_170_000n,
      MicroUsdc(0n),
      MicroUsdc(0n)
    ])
    assert.strictEqual(actualSplit(agreement, { payer: "user", costs }, { gasPaid: cents(4n) }).draw, MicroUsdc(0n))
  })

  it("of more than was quoted to an open address is the user's as a whole once it costs a unit more", () => {
    const at: Agreement = { ...agreement, kind: "deposit-address" }
    const dearer = costsOf({ ...fees, swap: fees.swap + 1n })
    assert.strictEqual(chargedSplit(at, { payer: "sponsor", costs: dearer }).draw, MicroUsdc(9_170_000n))
    const whole: Charge = { payer: "sponsor", costs: dearer, allOrNothing: true }
    assert.deepStrictEqual([chargedSplit(at, whole).sponsoredTotal, chargedSplit(at, whole).userPaysTotal], [
      0n,
      11_170_001n
    ])
    assert.strictEqual(actualSplit(at, whole, { gasPaid: 0n }).sponsoredTotal, 0n)
    assert.strictEqual(chargedSplit(at, { ...whole, costs }).draw, MicroUsdc(9_170_000n))
  })

  it("is settled for the gas that was paid, and at most for what was charged", () => {
    const cheaper = actualSplit(agreement, bySponsor, { gasPaid: cents(4n) })
    assert.deepStrictEqual([cheaper.components.execution.total, cheaper.draw, cheaper.receivable], [
      60_000n,
      MicroUsdc(9_060_000n),
      MicroUsdc(2_000_000n)
    ])
    const dearer = actualSplit(agreement, bySponsor, { gasPaid: cents(40n) })
    assert.deepStrictEqual([dearer.components.execution.total, dearer.draw], [170_000n, MicroUsdc(9_170_000n)])
  })

  it("is settled for the rent that was paid: none if the account was already open, and never more than charged", () => {
    const opening: Agreement = {
      ...agreement,
      selection: { _tag: "Defaulted", components: ["execution", "swap", "service", "app", "rent"] },
      costs: costsOf({ ...fees, rent: 300_000n })
    }
    const charged: Charge = { payer: "sponsor", costs: opening.costs }
    const rentOf = (rentPaid: bigint | undefined) => {
      const { components: { rent }, draw } = actualSplit(opening, charged, { gasPaid: cents(4n), rentPaid })
      return [rent.total, rent.sponsored, draw]
    }
    assert.deepStrictEqual(rentOf(cents(30n)), [300_000n, 300_000n, MicroUsdc(9_360_000n)])
    assert.deepStrictEqual(rentOf(0n), [0n, 0n, MicroUsdc(9_060_000n)])
    assert.deepStrictEqual(rentOf(cents(90n)), rentOf(cents(30n)))
    assert.deepStrictEqual(rentOf(undefined), rentOf(cents(30n)))
  })

  it("keeps the quoted gas of a sweep: only the fill's is measured", () => {
    const swept: Charge = { payer: "sponsor", costs: costsOf({ ...fees, relayerGas: 250_000n, execution: 270_000n }) }
    const { components, draw } = actualSplit({ ...agreement, costs: swept.costs }, swept, { gasPaid: cents(4n) })
    assert.deepStrictEqual([components.execution.total, draw], [160_000n, MicroUsdc(9_160_000n)])
  })

  it("for twice the amount makes the sponsor pay the quoted amount", () => {
    const twice: Charge = {
      payer: "sponsor",
      costs: { ...costs, totals: { ...costs.totals, swap: 16_000_000n, service: 2_000_000n, app: 4_000_000n } }
    }
    const { components, draw, receivable, userPaysTotal } = chargedSplit(agreement, twice)
    assert.deepStrictEqual([draw, receivable, userPaysTotal], [
      MicroUsdc(9_170_000n),
      MicroUsdc(2_000_000n),
      11_000_000n
    ])
    assert.deepStrictEqual([components.swap.sponsored, components.swap.userPays], [8_000_000n, 8_000_000n])
  })
})

describe("a budget", () => {
  const spent = { total: MicroUsdc(50n), day: MicroUsdc(30n), recipient: MicroUsdc(10n) }

  it("leaves the smallest of its limits' remainders, and never less than zero", () => {
    assert.isUndefined(budgetLeft({}, spent))
    assert.strictEqual(budgetLeft({ total: MicroUsdc(60n) }, spent), 10n)
    assert.strictEqual(
      budgetLeft({ total: MicroUsdc(60n), perDay: MicroUsdc(35n), perRecipientPerDay: MicroUsdc(100n) }, spent),
      5n
    )
    assert.deepStrictEqual([
      laterLeft({}, MicroUsdc(0n)),
      laterLeft({ laterPerAddressPerDay: MicroUsdc(5n) }, MicroUsdc(2n)),
      laterLeft({ laterPerAddressPerDay: MicroUsdc(5n) }, MicroUsdc(6n))
    ], [0n, 3n, 0n].map((units) => MicroUsdc(units)))
    assert.strictEqual(budgetLeft({ perRecipientPerDay: MicroUsdc(12n) }, spent), 2n)
    assert.strictEqual(budgetLeft({ perDay: MicroUsdc(3n) }, spent), 0n)
  })

  it("has days from midnight to midnight, UTC", () => {
    const midnight = Date.UTC(2026, 10, 21)
    assert.deepStrictEqual(
      [utcDay(midnight - 1) - utcDay(midnight), utcDay(midnight + 86_399_999) - utcDay(midnight)],
      [-1, 0]
    )
  })
})
