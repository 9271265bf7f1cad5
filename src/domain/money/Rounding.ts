/**
 * Integer division with an explicit direction.
 *
 * Every division of money in this code base uses one of these, so the code shows who gains the remainder: what a user
 * receives is rounded down, what a user pays is rounded up (PRICE-1).
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

/** a / b toward zero: for displayed figures, never for amounts that move. */
export const divTrunc = (a: bigint, b: bigint): bigint => a / b

/** The smaller one; `Math.min` takes no bigints. */
export const minOf = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** The larger one; `Math.max` takes no bigints. */
export const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b)
