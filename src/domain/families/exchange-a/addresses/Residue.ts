/**
 * What keeps the account of a deposit address on exchange A (EXCHANGEA-31). Pure.
 *
 * The exchange purges an account whose last balance goes, and forgets its nonces: the bytes of an earlier sweep could
 * then be executed again. So an address keeps a millionth of a dollar on spot. The solver sends it before the first
 * sweep, so that a sweep deposits exactly what was paid.
 */
import type { Address, CurrencyAddress } from "../../../chain/Address.ts"
import { asCurrency } from "../../AddressCodec.ts"
import { scaleDecimal } from "../DecimalAmount.ts"
import { PERPS_TOKEN } from "../ExchangeAWithdrawal.ts"
import type { SendAsset } from "../ExchangeAWithdrawal.ts"
import { PERPS_DECIMALS } from "../evidence/Transfer.ts"
import { assetOf, movableUnit } from "../payment/Asset.ts"

/** USDC on spot: where the residue lies. */
export const SPOT_USDC = { address: asCurrency(PERPS_TOKEN), decimals: PERPS_DECIMALS } as const

/** Smallest units of USDC on spot. It is what perps count at least, from where it is sent. */
export const RESIDUE = 100n

const RESIDUE_TEXT = "0.000001"

/** Smallest units of USDC on spot: less than a cent counts for nothing, because residues are no deposits. */
const LEAST_SPOT = 1_000_000n

/** What a sweep can deposit of what an address has; zero for what only keeps the account. Smallest units. */
export const countedUnits = (
  { address, decimals }: { readonly address: CurrencyAddress; readonly decimals: number },
  held: bigint
): bigint => {
  if (address === SPOT_USDC.address) return held < LEAST_SPOT ? 0n : held
  return held - held % movableUnit(assetOf(address), decimals)
}

/** True when the account stays after a sweep of so much. `onSpot`: its USDC there, smallest units. */
export const keepsAccount = (
  onSpot: bigint,
  { amount, currency }: { readonly amount: bigint; readonly currency: CurrencyAddress }
): boolean => onSpot - (currency === SPOT_USDC.address ? amount : 0n) >= RESIDUE

/** The solver's transfer to the address. No payment leaves its dex, so this is never taken for one. */
export const residueTransfer = (hyperliquidChain: string, address: Address, nonce: bigint): SendAsset => ({
  _tag: "SendAsset",
  hyperliquidChain,
  destination: address,
  sourceDex: "",
  destinationDex: "spot",
  token: `USDC:${PERPS_TOKEN}`,
  amount: RESIDUE_TEXT,
  fromSubAccount: "",
  nonce
})

/** `token` by name, as ledgers show it. */
export const isResidue = (
  { amount, destinationDex, sourceDex, token }: Pick<SendAsset, "amount" | "destinationDex" | "sourceDex" | "token">
): boolean =>
  sourceDex === "" && destinationDex === "spot" && token === "USDC" &&
  scaleDecimal(amount, PERPS_DECIMALS) === RESIDUE
