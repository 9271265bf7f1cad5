/** DER as a KMS writes it: signatures with the shortest integers, public keys with either curve's name. */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"

const tlv = (tag: string, content: string): string =>
  `${tag}${(content.length / 2).toString(16).padStart(2, "0")}${content}`

const integer = (value: bigint): string => {
  const digits = value.toString(16)
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  return tlv("02", Number.parseInt(even.slice(0, 2), 16) >= 0x80 ? `00${even}` : even)
}

/** For values from 0 to 2^256 − 1. */
export const signatureToDer = (r: bigint, s: bigint): Uint8Array => hexToBytes(tlv("30", integer(r) + integer(s)))

const EC_PUBLIC_KEY = "06072a8648ce3d0201"
const curves = { secp256k1: "06052b8104000a", secp256r1: "06082a8648ce3d030107" } as const

/** `point` is uncompressed. */
export const publicKeyToDer = (point: Uint8Array, curve: keyof typeof curves = "secp256k1"): Uint8Array =>
  hexToBytes(tlv("30", tlv("30", EC_PUBLIC_KEY + curves[curve]) + tlv("03", `00${bytesToHex(point)}`)))
