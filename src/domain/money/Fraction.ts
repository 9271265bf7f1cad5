/**
 * An exact ratio with a positive denominator: for rates and shares that are added and compared before rounding. Never
 * reduced: the numbers are small enough, and a gcd would cost more than it saves.
 */
import { divCeil, divFloor } from "./Rounding.ts"

/** An exact quotient of bigints. The denominator is positive. */
export interface Fraction {
  readonly numerator: bigint
  /** Positive. */
  readonly denominator: bigint
}

/** 0/1. */
export const zero: Fraction = { numerator: 0n, denominator: 1n }
/** 1/1. */
export const one: Fraction = { numerator: 1n, denominator: 1n }

/** The exact sum. The result is not reduced. */
export const add = (a: Fraction, b: Fraction): Fraction =>
  a.numerator === 0n ? b : b.numerator === 0n ? a : {
    numerator: a.numerator * b.denominator + b.numerator * a.denominator,
    denominator: a.denominator * b.denominator
  }

/** The exact difference `a` − `b`. The result is not reduced. */
export const subtract = (a: Fraction, b: Fraction): Fraction =>
  add(a, { numerator: -b.numerator, denominator: b.denominator })

/** Negative, zero or positive, like a − b. */
export const compare = (a: Fraction, b: Fraction): bigint => a.numerator * b.denominator - b.numerator * a.denominator

/** ⌊units × fraction⌋ */
export const shareFloor = (units: bigint, { denominator, numerator }: Fraction): bigint =>
  divFloor(units * numerator, denominator)

/** ⌈units × fraction⌉ */
export const shareCeil = (units: bigint, { denominator, numerator }: Fraction): bigint =>
  divCeil(units * numerator, denominator)

/** ⌈units / fraction⌉ for a positive fraction: the least number whose share reaches `units`. */
export const wholeCeil = (units: bigint, { denominator, numerator }: Fraction): bigint =>
  divCeil(units * denominator, numerator)
