/**
 * Whether 32 bytes are a point of ed25519. Accounts with a private key are points; addresses of programs must not be.
 *
 * Uses Euler's criterion alone: x² = (y² − 1)/(d·y² + 1) either has a root modulo 2^255 − 19 or has none. Not for
 * signatures.
 */

const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

const mod = (value: bigint): bigint => {
  const rest = value % P
  return rest < 0n ? rest + P : rest
}

/** Squares a value this many times. */
const squared = (value: bigint, times: number): bigint => {
  let square = value
  for (let left = times; left > 0; left -= 1) square = (square * square) % P
  return square
}

/** a^((P − 1)/2) = a^(16·(2^250 − 1) + 6), by squarings and a dozen products. */
const criterionOf = (a: bigint): bigint => {
  /** From a^(2^n − 1) and a^(2^m − 1) to a^(2^(n+m) − 1). */
  const joined = (n: bigint, m: bigint, bits: number): bigint => (squared(n, bits) * m) % P
  const a2 = squared(a, 1)
  const ones2 = (a2 * a) % P
  const ones5 = joined(joined(ones2, ones2, 2), a, 1)
  const ones10 = joined(ones5, ones5, 5)
  const ones20 = joined(ones10, ones10, 10)
  const ones40 = joined(ones20, ones20, 20)
  const ones50 = joined(ones40, ones10, 10)
  const ones100 = joined(ones50, ones50, 50)
  const ones200 = joined(ones100, ones100, 100)
  const ones250 = joined(ones200, ones50, 50)
  return (squared(ones250, 4) * ((squared(a2, 1) * a2) % P)) % P
}

/** The little-endian number in the bytes, without the highest bit, which is the sign of x. */
const yOf = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((value, byte, index) => (value << 8n) | BigInt(index === 31 ? byte & 0x7f : byte), 0n)

/** False unless there are 32 bytes. */
export const isEd25519Point = (bytes: Uint8Array): boolean => {
  if (bytes.length !== 32) return false
  const y2 = mod(yOf(bytes) ** 2n)
  const [numerator, denominator] = [mod(y2 - 1n), mod(D * y2 + 1n)]
  // a/b is a square exactly when a·b is one. Zero has the root zero, which has no sign.
  const criterion = criterionOf(mod(numerator * denominator))
  if (criterion === 0n) return ((bytes[31] ?? 0) & 0x80) === 0
  return criterion === 1n
}
