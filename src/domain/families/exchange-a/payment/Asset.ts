/** Where a currency of exchange A lies, as its transfers name it (EXCHANGEA-2, EXCHANGEA-20). Pure, total. */
import type { CurrencyAddress } from "../../../chain/Address.ts"
import { Hex, hexToBytes } from "../../../encoding/Hex.ts"
import { exchangeAAddresses } from "../ExchangeAAddresses.ts"
import { PERPS_TOKEN } from "../ExchangeAWithdrawal.ts"

export interface Asset {
  /** "" for USDC perps, "spot", or the name of a perps dex. */
  readonly dex: string
  /** 0x and 32 hex digits, lower case. */
  readonly tokenId: string
}

/** 0x and the digits of 16 bytes. */
const TOKEN_ID_LENGTH = 34

/** Perps dexes count so many decimals of a token. */
const PERPS_PLACES = 6

/** The inverse of `exchangeACurrency`. */
export const assetOf = (currency: CurrencyAddress): Asset => {
  if (currency === exchangeAAddresses.nativeCurrency) return { dex: "", tokenId: PERPS_TOKEN }
  const tokenId = currency.slice(0, TOKEN_ID_LENGTH)
  const name = hexToBytes(Hex.make(`0x${currency.slice(TOKEN_ID_LENGTH)}`))
  return { dex: name.length === 0 ? "spot" : String.fromCharCode(...name), tokenId }
}

/** Smallest units of the protocol in one that the dex can move: what is paid there is a multiple of it. */
export const movableUnit = ({ dex }: Pick<Asset, "dex">, decimals: number): bigint =>
  dex === "spot" ? 1n : 10n ** BigInt(Math.max(0, decimals - PERPS_PLACES))
