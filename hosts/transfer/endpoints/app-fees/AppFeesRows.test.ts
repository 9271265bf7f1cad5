import { assert, it } from "@effect/vitest"
import { Address, CurrencyAddress } from "../../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { USD_PRICE_DIGITS, UsdPrice } from "../../../../src/domain/money/Usd.ts"
import { balanceRow } from "./AppFeesRows.ts"

const priced = (chainId: number, symbol: string, decimals: number, dollars: bigint) => ({
  currency: {
    chainId: ChainId.make(chainId),
    address: CurrencyAddress.make(`0x${"1".repeat(40)}`),
    symbol,
    name: symbol,
    decimals,
    isNative: false
  },
  price: UsdPrice(dollars * 10n ** BigInt(USD_PRICE_DIGITS))
})

it("a balance includes holds in its amounts, excludes them from what is available, and shows app fees separately", () => {
  const row = balanceRow({
    settlement: {
      priced: priced(8453, "USDC", 6, 1n),
      spendable: 60_000_000n,
      held: 40_000_000n,
      claimable: 2_000_000n
    },
    others: [{ priced: priced(1, "ETH", 18, 2_000n), spendable: 0n, held: 0n, claimable: 10n ** 16n }],
    pending: [{ priced: priced(8453, "USDC", 6, 1n), units: 7_000_000n }],
    owed: [{ priced: priced(8453, "USDC", 6, 1n), units: 3_000_000n, recipient: Address.make(`0x${"2".repeat(40)}`) }]
  })
  assert.deepStrictEqual([row.amount, row.amountFormatted, row.amountUsd, row.minimumAmount], [
    "100000000",
    "100.0",
    "100.000000",
    "100000000"
  ])
  assert.deepStrictEqual(row.balances.map(({ amount, currency: { symbol } }) => [symbol, amount]), [[
    "USDC",
    "102000000"
  ], ["ETH", `${10n ** 16n}`]])
  assert.deepStrictEqual([row.totalBalanceUsd, row.availableBalanceUsd], ["122.000000", "82.000000"])
  assert.deepStrictEqual(row.claimable.map(({ amount, amountUsd }) => [amount, amountUsd]), [["2000000", "2.000000"], [
    `${10n ** 16n}`,
    "20.000000"
  ]])
  assert.notProperty(row.currency, "metadata")
  // Pending amounts are shown, and are in no sum.
  assert.deepStrictEqual(row.pending.map(({ amount }) => amount), ["7000000"])
  assert.deepStrictEqual(row.owed.map(({ amount, amountUsd, recipient }) => [amount, amountUsd, recipient]), [[
    "3000000",
    "3.000000",
    `0x${"2".repeat(40)}`
  ]])
})
