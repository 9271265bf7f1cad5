import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { Hex, hexFromBytes, hexToBytes } from "../encoding/Hex.ts"
import { vmFamilies } from "../chain/VmFamily.ts"
import { withdrawal } from "../hub/testing/Withdrawals.ts"
import { decodeWithdrawal, encodeWithdrawal, payoutOf, withdrawalId } from "./Withdrawals.ts"

const context = { network: "mainnet", depository: "1KT3zCYUrmQxjcveUNs1Rs7WcXDcPQZ4av", decimals: () => 8 } as const

/** Changes, removes or adds bytes. */
const damage = (encoded: Hex, changes: ReadonlyArray<readonly [number, number]>, length: number): Hex => {
  const whole = hexToBytes(encoded)
  const data = new Uint8Array(Math.max(0, whole.length + length))
  data.set(whole.subarray(0, data.length))
  for (const [where, byte] of changes) if (data.length > 0) data[where % data.length] = byte
  return hexFromBytes(data)
}

for (const family of vmFamilies) {
  describe(`withdrawals of ${family}`, () => {
    it("decode to what was encoded, and have one id", () => {
      fc.assert(
        fc.property(withdrawal[family], (each) => {
          const encoded = Result.getOrThrow(encodeWithdrawal(each))
          const again = Result.getOrThrow(decodeWithdrawal(family, encoded))
          assert.deepStrictEqual(again, each)
          assert.strictEqual(Result.getOrThrow(withdrawalId(again)), Result.getOrThrow(withdrawalId(each)))
        }),
        { numRuns: inputs(500, 50_000) }
      )
    })

    it("garbage is an error and never a throw; what decodes has exactly this encoding", () => {
      // Making a withdrawal costs more than damaging it, so a pool of them is damaged many times.
      const pool = fc.sample(withdrawal[family], 200).map((each) => Result.getOrThrow(encodeWithdrawal(each)))
      const damaged = fc.tuple(
        fc.constantFrom(...pool),
        fc.array(
          fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(0, 1, 0x1f, 0x20, 0xff), fc.integer({ min: 0, max: 255 }))),
          { maxLength: 3 }
        ),
        fc.oneof(fc.constant(0), fc.integer({ min: -64, max: 64 }))
      ).map(([encoded, changes, length]) => damage(encoded, changes, length))
      const candidates = fc.oneof(
        { weight: 5, arbitrary: damaged },
        fc.uint8Array({ maxLength: 300 }).map(hexFromBytes),
        fc.uint8Array({ maxLength: 300 }).map((bytes) =>
          hexFromBytes(Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff, ...bytes))
        )
      )
      fc.assert(
        fc.property(candidates, (encoded) => {
          const decoded = decodeWithdrawal(family, encoded)
          if (Result.isFailure(decoded)) {
            assert.strictEqual(decoded.failure._tag, "InvalidWithdrawal")
            return
          }
          assert.strictEqual(Result.getOrThrow(encodeWithdrawal(decoded.success)), encoded)
          assert.isTrue(Result.isSuccess(withdrawalId(decoded.success)))
          const payout = payoutOf(decoded.success, context)
          if (Result.isSuccess(payout)) assert.isTrue(payout.success.amount > 0n)
        }),
        { numRuns: inputs(20_000, 1_000_000) }
      )
    })

    it("two withdrawals never share an id", () => {
      const ids = new Set<string>()
      const encodings = new Set<string>()
      for (const each of fc.sample(withdrawal[family], 300)) {
        ids.add(Result.getOrThrow(withdrawalId(each)))
        encodings.add(Result.getOrThrow(encodeWithdrawal(each)))
      }
      assert.strictEqual(ids.size, encodings.size)
    })

    it("a megabyte of garbage is refused at once", () => {
      for (const byte of ["00", "01", "20", "ff"]) {
        assert.isTrue(Result.isFailure(decodeWithdrawal(family, Hex.make(`0x${byte.repeat(1_000_000)}`))))
        assert.isTrue(Result.isFailure(decodeWithdrawal(family, Hex.make(`0x70736274ff${byte.repeat(1_000_000)}`))))
      }
    })
  })
}
