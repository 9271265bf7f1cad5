/**
 * Bytes as hex digits in one flat string.
 *
 * Why not noble's `bytesToHex`, nor effect's `Hex.encode`: they concatenate, and V8 keeps such a string as a tree of
 * its pieces, 16 bytes of memory a digit instead of one, for as long as the string lives. The linter refuses both.
 */
const table = Uint8Array.from({ length: 512 }, (_, at) => {
  const byte = at >> 1
  return "0123456789abcdef".charCodeAt(at % 2 === 0 ? byte >> 4 : byte & 15)
})

const decoder = new TextDecoder()

/** Up to here one call of `fromCharCode` is faster than a decoder. */
const SHORT = 64

/** Writes two digits a byte. */
const write = <Digits extends Array<number> | Uint8Array>(bytes: Uint8Array, digits: Digits): Digits => {
  let at = 0
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0
    digits[at++] = table[byte * 2] ?? 0
    digits[at++] = table[byte * 2 + 1] ?? 0
  }
  return digits
}

/** Two lower-case digits a byte, without `0x`. */
export const hexDigits = (bytes: Uint8Array): string => {
  const length = bytes.length * 2
  return bytes.length <= SHORT
    // `apply` with an array: nine times as fast as spreading a typed array.
    ? String.fromCharCode.apply(null, write(bytes, new Array<number>(length)))
    : decoder.decode(write(bytes, new Uint8Array(length)))
}
