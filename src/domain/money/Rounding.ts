/**
 * Integer division with the direction spelled out.
 *
 * Every division of money in this code base goes through one of these, so that who gains the remainder is a decision
 * that can be read: what a user receives is rounded down, what a user pays is rounded up (PRICE-1).
 */

/** ⌊a / b⌋ toward minus infinity. `b` must be positive. */
export const divFloor = (a: bigint, b: bigint): bigint => {
  const q = a / b
  return a % b < 0n ? q - 1n : q
}

/** ⌈a / b⌉ toward plus infinity. `b` must be positive. */
export const divCeil = (a: bigint, b: bigint): bigint => {
  const q = a / b
  return a % b > 0n ? q + 1n : q
}

/** a / b toward zero: for figures that are shown, never for amounts that move. */
export const divTrunc = (a: bigint, b: bigint): bigint => a / b

export const minOf = (a: bigint, b: bigint): bigint => (a < b ? a : b)

export const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b)
