/** Basis points: hundredths of a percent, 10000 is the whole. An integer, so shares of an amount are exact. */
import * as Brand from "effect/Brand"
import { divCeil, divFloor } from "./Rounding.ts"

/** Basis points: 10,000 are the whole. */
export type Bps = bigint & Brand.Brand<"Bps">

export const Bps = Brand.nominal<Bps>()

/** The whole in basis points. */
export const WHOLE_BPS = 10_000n

/** Zero basis points. */
export const zeroBps: Bps = Bps(0n)

/** ⌊amount × bps / 10000⌋ */
export const bpsFloor = (amount: bigint, bps: bigint): bigint => divFloor(amount * bps, WHOLE_BPS)

/** ⌈amount × bps / 10000⌉ */
export const bpsCeil = (amount: bigint, bps: bigint): bigint => divCeil(amount * bps, WHOLE_BPS)
