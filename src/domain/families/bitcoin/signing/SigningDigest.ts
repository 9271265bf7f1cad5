/**
 * What a key signs to spend a P2WPKH coin: the digest of the whole transaction and of the coin's amount (BIP-143,
 * sighash ALL). SECURITY: the amount is in it, so a signature over a wrong amount is invalid, and no fee can be hidden.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, hexToBytes } from "@noble/hashes/utils.js"
import type { BitcoinTransaction } from "../BitcoinTransaction.ts"
import type { BtcOutput } from "../evidence/BtcTransaction.ts"
import { writeOutput } from "../WriteTransaction.ts"

/** The signature covers all inputs and outputs (BIP-143). */
export const SIGHASH_ALL = 1

const hash256 = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes))

const uint32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

const uint64 = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value, true)
  return bytes
}

const outpointOf = ({ index, transactionId }: BitcoinTransaction["inputs"][number]): Uint8Array =>
  concatBytes(hexToBytes(transactionId).toReversed(), uint32(index))

/** The script that a P2WPKH coin stands for, with its length: that of P2PKH, for the same hash. */
const codeOf = (script: Uint8Array): Uint8Array =>
  concatBytes(Uint8Array.of(25, 0x76, 0xa9, 20), script.subarray(2), Uint8Array.of(0x88, 0xac))

/** The digest for each input, 32 bytes. `coins`: P2WPKH outputs, in the order of the inputs. */
export const signingDigests = (
  { inputs, lockTime, outputs, version }: BitcoinTransaction,
  coins: ReadonlyArray<BtcOutput>
): ReadonlyArray<Uint8Array> => {
  const before = concatBytes(
    uint32(version),
    hash256(concatBytes(...inputs.map(outpointOf))),
    hash256(concatBytes(...inputs.map(({ sequence }) => uint32(sequence))))
  )
  const after = concatBytes(
    hash256(concatBytes(...outputs.map(writeOutput))),
    uint32(lockTime),
    uint32(SIGHASH_ALL)
  )
  return coins.flatMap(({ amount, script }, at) => {
    const input = inputs[at]
    return input === undefined
      ? []
      : [hash256(
        concatBytes(before, outpointOf(input), codeOf(script), uint64(amount), uint32(input.sequence), after)
      )]
  })
}
