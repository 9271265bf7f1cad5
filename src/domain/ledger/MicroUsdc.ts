/**
 * The currency of sponsors: millionths of a USDC, the unit of caps, draws and app balances (SPONSOR-5).
 *
 * One USDC counts as one US dollar (SPONSOR-5). Not for fees, which are in the origin currency.
 */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import { divCeil } from "../money/Rounding.ts"
import type { Usd } from "../money/Usd.ts"

/** Millionths of a USDC. */
export type MicroUsdc = bigint & Brand.Brand<"MicroUsdc">

export const MicroUsdc = Brand.nominal<MicroUsdc>()

const USD_A_MICRO = 10n ** 12n

/** No micro-USDC. */
export const zeroMicroUsdc: MicroUsdc = MicroUsdc(0n)

/** The least amount of micro-USDC that is worth at least this many dollars. For amounts that somebody pays. */
export const microUsdcCeil = (usd: Usd): MicroUsdc => MicroUsdc(divCeil(usd, USD_A_MICRO))

/** Micro-USDC in rows and bodies: digits. */
export const MicroUsdcFromString = Schema.BigIntFromString.check(Schema.isGreaterThanOrEqualToBigInt(0n)).pipe(
  Schema.fromBrand("MicroUsdc", MicroUsdc)
)
