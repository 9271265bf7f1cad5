/** The digits are right at every length, and long texts take no more memory than their digits. */
import { assert, describe, it } from "@effect/vitest"
import { bytesToHex } from "@noble/hashes/utils.js"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { hexFromBytes } from "./Hex.ts"
import { hexDigits } from "./HexDigits.ts"

const bytesOf = (length: number, from = 0): Uint8Array => Uint8Array.from({ length }, (_, at) => (at * 7 + from) % 256)

const collect = (): number => {
  setFlagsFromString("--expose-gc")
  const gc = runInNewContext("gc") as () => void
  gc()
  return process.memoryUsage().heapUsed
}

const COUNT = 64
const LENGTH = 50_000

/** Bytes of heap per digit, while the text is alive. */
const costOf = (encode: (bytes: Uint8Array) => string): number => {
  const before = collect()
  const kept = Array.from({ length: COUNT }, (_, at) => encode(bytesOf(LENGTH, at)))
  const after = collect()
  assert.strictEqual(kept.length, COUNT)
  return (after - before) / (COUNT * LENGTH * 2)
}

describe("hex digits", () => {
  it("are two for each byte, at every length around the decoder's", () => {
    for (let length = 0; length < 300; length += 1) {
      assert.strictEqual(hexDigits(bytesOf(length)), bytesToHex(bytesOf(length)))
    }
    assert.strictEqual(
      hexDigits(Uint8Array.from({ length: 256 }, (_, byte) => byte)),
      bytesToHex(Uint8Array.from({ length: 256 }, (_, byte) => byte))
    )
  })

  it("are flat strings that cost at most twice their digits, where a concatenation costs many times that", () => {
    assert.isBelow(costOf(hexFromBytes), 2)
    // Shows that the measurement detects a rope. Otherwise the assertion above would prove nothing.
    assert.isAbove(costOf((bytes) => `0x${bytesToHex(bytes)}`), 5)
  })
})
