import { assert, describe, it } from "@effect/vitest"
import { MicroUsdc } from "../ledger/MicroUsdc.ts"
import { Address, CurrencyAddress } from "../chain/Address.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../chain/ChainId.ts"
import { UsdPrice } from "../money/Usd.ts"
import type { Agreement } from "../sponsorship/Agreement.ts"
import { capWithin, quotedWorth, sponsorshipOfArrival } from "./AddressSponsorship.ts"

const originChainId = ChainId.make(1)
const originCurrency = ethereumAddresses.nativeCurrency
const priced = {
  currency: { chainId: originChainId, address: originCurrency, symbol: "D", name: "D", decimals: 6, isNative: true },
  price: UsdPrice(10n ** 36n)
}
const sponsorship: Agreement = {
  wallet: Address.make(`0x${"5b".repeat(20)}`),
  selection: { _tag: "Defaulted", components: ["execution", "swap", "service", "app"] },
  kind: "deposit-address",
  feeCurrency: priced,
  fillNative: priced,
  costs: { totals: { execution: 7n, swap: 2n, service: 1n, app: 5n, rent: 0n }, originGas: 0n, fillGas: 0n }
}
const first = { amountIn: 100n, originChainId, originCurrency, sponsorship }

const payer = (
  units: bigint,
  least: bigint,
  changes: { readonly chainId?: ChainId; readonly currency?: CurrencyAddress } = {}
) => sponsorshipOfArrival(first, { chainId: originChainId, currency: originCurrency, units, least, ...changes })

describe("a deposit at a sponsored open address", () => {
  it("under the address's own order gets the quoted sponsorship, or the user pays", () => {
    assert.deepStrictEqual([payer(99n, 100n), payer(100n, 100n), payer(1_000n, 100n)], ["user", "quote", "quote"])
  })

  it("under its own order gets the quoted sponsorship if it is as large as quoted, unless it is smaller than its order", () => {
    assert.deepStrictEqual([payer(99n, 99n), payer(100n, 100n), payer(101n, 101n), payer(100n, 101n)], [
      "later",
      "quote",
      "quote",
      "user"
    ])
  })

  it("on another chain, or in another currency, never gets the quoted sponsorship", () => {
    assert.strictEqual(payer(100n, 100n, { chainId: ChainId.make(2) }), "later")
    assert.strictEqual(payer(100n, 100n, { currency: CurrencyAddress.make(`0x${"c".repeat(40)}`) }), "later")
  })

  it("is paid by its user where no sponsor was asked", () => {
    assert.strictEqual(
      sponsorshipOfArrival({ amountIn: 100n, originChainId, originCurrency }, {
        chainId: originChainId,
        currency: originCurrency,
        units: 100n,
        least: 100n
      }),
      "user"
    )
  })

  it("is limited by what is left for it, and by its own cap", () => {
    assert.deepStrictEqual(quotedWorth(sponsorship), { draw: MicroUsdc(10n), worth: MicroUsdc(15n) })
    const micros = [
      capWithin(undefined, MicroUsdc(15n)),
      capWithin(MicroUsdc(3n), MicroUsdc(15n)),
      capWithin(MicroUsdc(20n), MicroUsdc(15n))
    ]
    assert.deepStrictEqual(micros, [15n, 3n, 15n].map((units) => MicroUsdc(units)))
  })
})
