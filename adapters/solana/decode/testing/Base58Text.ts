/** Base58 of any length by division: another algorithm than the decoder's, and fast enough for 10 KiB. */
const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const CHUNK = 9
const BASE = 58n ** BigInt(CHUNK)

const textOf = (chunk: bigint): string => {
  let [left, text] = [Number(chunk), ""]
  for (let at = 0; at < CHUNK; at += 1) {
    text = `${ALPHABET[left % 58] ?? ""}${text}`
    left = Math.floor(left / 58)
  }
  return text
}

export const base58Text = (data: Uint8Array): string => {
  const first = data.findIndex((byte) => byte !== 0)
  const zeros = first === -1 ? data.length : first
  let [left, text] = [BigInt(`0x0${Buffer.from(data).toString("hex")}`), ""]
  while (left > 0n) {
    text = `${textOf(left % BASE)}${text}`
    left /= BASE
  }
  return `${"1".repeat(zeros)}${text.replace(/^1+/, "")}`
}
