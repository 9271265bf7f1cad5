/**
 * Bytes as hex digits in one flat string.
 *
 * Why not noble's `bytesToHex` or effect's `Hex.encode`: they concatenate, and V8 keeps such a string as a tree of
 * pieces as long as it lives, with 16 bytes of memory per digit instead of one. The linter refuses both.
 */
const table = Uint8Array.from({ length: 512 }, (_, at) => {
  const byte = at >> 1
  return "0123456789abcdef".charCodeAt(at % 2 === 0 ? byte >> 4 : byte & 15)
})

const decoder = new TextDecoder()

/** Up to this length one call of `fromCharCode` is faster than a decoder. */
const SHORT = 64

/** `apply` with an array is several times as fast as spreading a typed array. */
const shortDigits = (bytes: Uint8Array): string => {
  const codes: Array<number> = []
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0
    codes.push(table[byte * 2] ?? 0, table[byte * 2 + 1] ?? 0)
  }
  return String.fromCharCode.apply(null, codes)
}

/**
 * Separate from the loop above on purpose: for one loop over both kinds of array V8 generates code that is many times
 * slower.
 */
const longDigits = (bytes: Uint8Array): string => {
  const codes = new Uint8Array(bytes.length * 2)
  let at = 0
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0
    codes[at++] = table[byte * 2] ?? 0
    codes[at++] = table[byte * 2 + 1] ?? 0
  }
  return decoder.decode(codes)
}

/** Two lower-case digits per byte, without `0x`. */
export const hexDigits = (bytes: Uint8Array): string => bytes.length <= SHORT ? shortDigits(bytes) : longDigits(bytes)
