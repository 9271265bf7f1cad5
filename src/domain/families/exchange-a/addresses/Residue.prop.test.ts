/** What a sweep of an exchange A deposit address takes, and what it leaves, whatever was paid there. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { Address } from "../../../chain/Address.ts"
import { asCurrency } from "../../AddressCodec.ts"
import { exchangeAAddresses } from "../ExchangeAAddresses.ts"
import { assetOf, movableUnit } from "../payment/Asset.ts"
import { countedUnits, isResidue, keepsAccount, RESIDUE, residueTransfer, SPOT_USDC } from "./Residue.ts"

const currencies = [
  { address: exchangeAAddresses.nativeCurrency, decimals: 8 },
  SPOT_USDC,
  { address: asCurrency(`0x${"7e".repeat(16)}`), decimals: 5 },
  { address: asCurrency(`${SPOT_USDC.address}78797a`), decimals: 8 }
] as const

const units = fc.bigInt({ min: 0n, max: 10n ** 12n })
const runs = { numRuns: inputs(1_000, 100_000) }

describe("the residue of an exchange A deposit address", () => {
  it("counts for nothing, and everything else counts as far as its dex can move it", () => {
    fc.assert(
      fc.property(fc.constantFrom(...currencies), units, (currency, held) => {
        const counted = countedUnits(currency, held)
        const unit = movableUnit(assetOf(currency.address), currency.decimals)
        assert.strictEqual(counted % unit, 0n)
        const isCent = currency.address === SPOT_USDC.address && held < 1_000_000n
        assert.isTrue(isCent ? counted === 0n : held - counted < unit)
      }),
      runs
    )
    assert.strictEqual(countedUnits(SPOT_USDC, RESIDUE), 0n)
  })

  it("is there after a sweep, with the residue that is sent where it would not be", () => {
    fc.assert(
      fc.property(fc.constantFrom(...currencies), units, units, (currency, held, onSpot) => {
        const own = currency.address === SPOT_USDC.address
        const amount = countedUnits(currency, own ? onSpot : held)
        const isKept = keepsAccount(onSpot, { amount, currency: currency.address })
        const left = onSpot - (own ? amount : 0n) + (isKept ? 0n : RESIDUE)
        assert.isTrue(left >= RESIDUE)
      }),
      runs
    )
  })

  it("is sent by a transfer that no payment is like", () => {
    const { token, ...residue } = residueTransfer("Mainnet", Address.make(`0x${"77".repeat(20)}`), 7n)
    const shown = { ...residue, token: token.slice(0, token.indexOf(":")) }
    assert.isTrue(isResidue(shown))
    assert.isTrue(isResidue({ ...shown, amount: "0.00000100" }))
    for (
      const change of [{ amount: "0.000002" }, { sourceDex: "spot" }, { destinationDex: "" }, { token: "TOK" }] as const
    ) {
      assert.isFalse(isResidue({ ...shown, ...change }))
    }
  })
})
