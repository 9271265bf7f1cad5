/** Where a currency of exchange B lies. The inverse of `exchangeBCurrency`. Pure. */
import type { CurrencyAddress } from "../../../chain/Address.ts"
import { exchangeBAddresses } from "../ExchangeBAddresses.ts"

/** USDC, the exchange's collateral and the currency of its fees. */
export const USDC = 3n

/** The two routes of an account. */
export const [PERPS, SPOT] = [0n, 1n] as const

export interface Asset {
  readonly assetIndex: bigint
  readonly route: bigint
}

/** Only USDC is on perps; every other currency is paid on spot. */
export const assetOf = (currency: CurrencyAddress): Asset =>
  currency === exchangeBAddresses.nativeCurrency
    ? { assetIndex: USDC, route: PERPS }
    : { assetIndex: BigInt(currency), route: SPOT }
