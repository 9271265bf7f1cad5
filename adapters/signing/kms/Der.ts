/**
 * The two DER forms in a KMS's answers (SIGNER-2): a public key (SubjectPublicKeyInfo, RFC 5480) and an ECDSA signature
 * (Ecdsa-Sig-Value, RFC 3279). Strict: DER has one spelling of a value, and every other spelling is refused. Pure and
 * total.
 */
import { concatBytes, hexToBytes } from "@noble/hashes/utils.js"
import { Result, Schema } from "effect"

/** The bytes are not of the expected form. */
export class InvalidDer extends Schema.TaggedError<InvalidDer>()("InvalidDer", { reason: Schema.String }) {
  override get message(): string {
    return `invalid DER: ${this.reason}`
  }
}

const invalid = (reason: string) => Result.fail(new InvalidDer({ reason }))

/** SEQUENCE { SEQUENCE { id-ecPublicKey, secp256k1 }, BIT STRING of 65 bytes }: everything but the point is fixed. */
const keyHead = hexToBytes("3056301006072a8648ce3d020106052b8104000a034200")

/** The uncompressed point (65 bytes) of a secp256k1 key. Does not check that the point is on the curve. */
export const publicKeyFromDer = (der: Uint8Array): Result.Result<Uint8Array, InvalidDer> => {
  const point = der.subarray(keyHead.length)
  return keyHead.every((byte, index) => der[index] === byte) && point.length === 65 && point[0] === 4
    ? Result.succeed(point)
    : invalid("no uncompressed secp256k1 key")
}

const SEQUENCE = 0x30
const INTEGER = 0x02

interface Parsed {
  /** 32 bytes, big-endian. */
  readonly value: Uint8Array
  readonly rest: Uint8Array
}

/** A positive INTEGER of at most 256 bits, in its shortest form. */
const scalar = (bytes: Uint8Array): Result.Result<Parsed, InvalidDer> => {
  const [tag, length = 0, first = 0, second = 0] = bytes
  const content = bytes.subarray(2, 2 + length)
  if (tag !== INTEGER || length === 0 || length > 33 || content.length < length) {
    return invalid("no INTEGER of at most 256 bits")
  }
  if (first >= 0x80) return invalid("a negative INTEGER")
  if (first === 0 && (length === 1 || second < 0x80)) return invalid("an INTEGER that is zero, or padded")
  const digits = first === 0 ? content.subarray(1) : content
  return digits.length > 32
    ? invalid("an INTEGER of more than 256 bits")
    : Result.succeed({
      value: concatBytes(new Uint8Array(32 - digits.length), digits),
      rest: bytes.subarray(2 + length)
    })
}

/** r and s of a signature, 32 bytes each. Does not compare them with the group's order. */
export const signatureFromDer = (
  der: Uint8Array
): Result.Result<{ readonly r: Uint8Array; readonly s: Uint8Array }, InvalidDer> =>
  Result.gen(function*() {
    if (der[0] !== SEQUENCE || der[1] !== der.length - 2 || der.length > 72) {
      return yield* invalid("no SEQUENCE of two INTEGERs")
    }
    const r = yield* scalar(der.subarray(2))
    const s = yield* scalar(r.rest)
    return s.rest.length > 0 ? yield* invalid("something after the signature") : { r: r.value, s: s.value }
  })
