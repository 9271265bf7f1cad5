/** The bytes of a transaction whose P2WPKH inputs are signed (BIP-144), and its id. */
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes } from "@noble/hashes/utils.js"
import { hexDigits } from "../../../encoding/HexDigits.ts"
import type { BitcoinTransaction } from "../BitcoinTransaction.ts"
import { writeCompactSize } from "../ByteReader.ts"
import { writeBitcoinTransaction } from "../WriteTransaction.ts"
import { SIGHASH_ALL } from "./SigningDigest.ts"

/** A positive integer of DER: no leading zeros, but one where the first bit would be a sign. */
const integerOf = (bytes: Uint8Array): Uint8Array => {
  const first = bytes.findIndex((byte) => byte !== 0)
  const value = first < 0 ? Uint8Array.of(0) : bytes.subarray(first)
  const signed = (value[0] ?? 0) < 0x80 ? value : concatBytes(Uint8Array.of(0), value)
  return concatBytes(Uint8Array.of(0x02, signed.length), signed)
}

/** A signature of r‖s, 64 bytes, as consensus reads it: DER (BIP-66), then the sighash. */
const encodedSignature = (signature: Uint8Array): Uint8Array => {
  const [r, s] = [integerOf(signature.subarray(0, 32)), integerOf(signature.subarray(32, 64))]
  return concatBytes(Uint8Array.of(0x30, r.length + s.length), r, s, Uint8Array.of(SIGHASH_ALL))
}

const item = (bytes: Uint8Array): Uint8Array => concatBytes(writeCompactSize(bytes.length), bytes)

export interface SignedTransaction {
  /** In the usual display order. It does not cover the signatures: they can be known before, and do not change it. */
  readonly id: string
  readonly bytes: Uint8Array
}

/** What an input shows. */
export interface KeyWitness {
  /** r‖s, with low s. */
  readonly signature: Uint8Array
  /** Compressed. */
  readonly publicKey: Uint8Array
}

/** `shown`: in the order of the inputs. */
export const signedTransaction = (
  transaction: BitcoinTransaction,
  shown: ReadonlyArray<KeyWitness>
): SignedTransaction => {
  const bare = writeBitcoinTransaction(transaction)
  const witnesses = shown.map(({ publicKey, signature }) =>
    concatBytes(Uint8Array.of(2), item(encodedSignature(signature)), item(publicKey))
  )
  return {
    id: hexDigits(sha256(sha256(bare)).toReversed()),
    bytes: concatBytes(
      bare.subarray(0, 4),
      // Marker and flag of the form with witnesses.
      Uint8Array.of(0x00, 0x01),
      bare.subarray(4, bare.length - 4),
      ...witnesses,
      bare.subarray(bare.length - 4)
    )
  }
}
