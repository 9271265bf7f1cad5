/** Balances in the wire's form: Amount objects without metadata. */
import { wireAmount } from "../../../../src/domain/quote/wire/WireAmount.ts"
import type { PricedCurrency } from "../../../../src/domain/money/Currency.ts"
import { usdFloor } from "../../../../src/domain/money/Currency.ts"
import { formatUsd, Usd } from "../../../../src/domain/money/Usd.ts"
import type { PricedHolding, WalletBalance } from "../../../../src/services/app-balance/Balances.ts"
import type { BalanceAnswer, PlainAmount } from "./AppFeesApi.ts"

/** `units` in smallest units of the currency. */
export const plainAmount = (priced: PricedCurrency, units: bigint): PlainAmount => {
  const { currency: { address, chainId, decimals, name, symbol }, ...amount } = wireAmount(priced, units)
  return { currency: { chainId, address, symbol, name, decimals }, ...amount }
}

const all = ({ claimable, held, spendable }: PricedHolding): bigint => spendable + held + claimable

const usd = (holdings: ReadonlyArray<PricedHolding>, units: (holding: PricedHolding) => bigint): string =>
  formatUsd(Usd(holdings.reduce((sum, holding) => sum + usdFloor(units(holding), holding.priced), 0n)))

export const balanceRow = ({ others, owed, pending, settlement }: WalletBalance): BalanceAnswer => {
  const holdings = [settlement, ...others]
  return {
    ...plainAmount(settlement.priced, settlement.spendable + settlement.held),
    balances: holdings.map((holding) => plainAmount(holding.priced, all(holding))),
    totalBalanceUsd: usd(holdings, all),
    availableBalanceUsd: usd(holdings, (holding) => all(holding) - holding.held),
    claimable: holdings.filter(({ claimable }) => claimable > 0n).map(({ claimable, priced }) =>
      plainAmount(priced, claimable)
    ),
    pending: pending.map(({ priced, units }) => plainAmount(priced, units)),
    owed: owed.map(({ priced, recipient, units }) => ({ ...plainAmount(priced, units), recipient }))
  }
}
