/** The bytes of blocks, and their hashes. There is no proof of work: the header's last number tells forks apart. */
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { writeCompactSize } from "../../../src/domain/families/bitcoin/ByteReader.ts"
import { readCoinTransaction } from "./CoinTransaction.ts"
import type { CoinTransaction } from "./CoinTransaction.ts"

const hash256 = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes))

const uint32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

export interface Header {
  readonly bytes: Uint8Array
  readonly hash: string
}

/** `time`: whole seconds. `fork`: blocks of different forks differ. */
export const headerOf = (
  parent: string,
  time: number,
  fork: number,
  transactions: ReadonlyArray<CoinTransaction>
): Header => {
  const root = hash256(concatBytes(...transactions.map(({ id }) => hexToBytes(id))))
  const bytes = concatBytes(uint32(4), hexToBytes(parent).toReversed(), root, uint32(time), uint32(0), uint32(fork))
  return { bytes, hash: hexDigits(hash256(bytes).toReversed()) }
}

export const blockBytes = ({ bytes }: Header, transactions: ReadonlyArray<CoinTransaction>): Uint8Array =>
  concatBytes(bytes, writeCompactSize(transactions.length), ...transactions.map((each) => each.bytes))

const output = (amount: bigint, script: Uint8Array): Uint8Array => {
  const satoshi = new Uint8Array(8)
  new DataView(satoshi.buffer).setBigUint64(0, amount, true)
  return concatBytes(satoshi, writeCompactSize(script.length), script)
}

const ANYONE_CAN_SPEND = Uint8Array.of(0x51)

/** A block's first transaction. It pays nothing: nobody here lives on fees. `name`: makes it unique. */
export const coinbaseOf = (name: string): CoinTransaction => {
  const script = utf8ToBytes(name)
  const read = readCoinTransaction(concatBytes(
    uint32(2),
    Uint8Array.of(1),
    new Uint8Array(32),
    uint32(0xffff_ffff),
    writeCompactSize(script.length),
    script,
    uint32(0xffff_ffff),
    Uint8Array.of(1),
    output(0n, ANYONE_CAN_SPEND),
    uint32(0)
  ))
  if (read === undefined) throw new Error("a coinbase is no transaction")
  return read
}
