/** Powers of ten, made once: a power of bigints takes longer than the multiplication that it is for. */
const made = Array.from({ length: 80 }, (_, exponent) => 10n ** BigInt(exponent))

/** 10^exponent, for a whole number that is not negative. */
export const powerOfTen = (exponent: number): bigint => made[exponent] ?? 10n ** BigInt(exponent)
