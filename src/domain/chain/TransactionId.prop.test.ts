import { assert, describe, it } from "@effect/vitest"
import { bytesToHex } from "@noble/hashes/utils.js"
import { base58 } from "@scure/base"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { depositsKey } from "../hub/IdempotencyKey.ts"
import { onchainId } from "../hub/ProtocolId.ts"
import { ChainSlug } from "./ChainId.ts"
import { parseTransactionId, transactionIdToBytes } from "./TransactionId.ts"
import { type VmFamily, vmFamilies } from "./VmFamily.ts"

const sizeOf = (family: VmFamily): fc.Arbitrary<number> =>
  family === "solana-vm"
    ? fc.constant(64)
    : family === "exchangeb-vm"
    ? fc.integer({ min: 32, max: 64 })
    : fc.constant(32)

const idBytes = (family: VmFamily): fc.Arbitrary<Uint8Array> =>
  sizeOf(family).chain((size) => fc.uint8Array({ minLength: size, maxLength: size }))

const canonicalText = (family: VmFamily, bytes: Uint8Array): string => {
  if (family === "solana-vm") return base58.encode(bytes)
  return (family === "ethereum-vm" || family === "exchangea-vm" ? "0x" : "") + bytesToHex(bytes)
}

/** Other spellings of the same id: case, prefix, spaces around it. */
const respelled = (family: VmFamily, text: string): fc.Arbitrary<string> => {
  const space = fc.constantFrom("", " ", "\t", "\n ")
  const digits = text.replace(/^0x/, "")
  const spelling = family === "solana-vm"
    ? fc.constant(text)
    : fc.tuple(fc.constantFrom("", "0x", "0X"), fc.boolean()).map(([prefix, upper]) =>
      prefix + (upper ? digits.toUpperCase() : digits)
    )
  return fc.tuple(space, spelling, space).map((parts) => parts.join(""))
}

for (const family of vmFamilies) {
  describe(`transaction ids of ${family}`, () => {
    it("every spelling of one id gives the canonical text and the same bytes", () => {
      const cases = idBytes(family).chain((bytes) => {
        const text = canonicalText(family, bytes)
        return fc.record({ bytes: fc.constant(bytes), text: fc.constant(text), spelled: respelled(family, text) })
      })
      fc.assert(
        fc.property(cases, ({ bytes, spelled, text }) => {
          assert.strictEqual(Result.getOrThrow(parseTransactionId(family, spelled)), text)
          assert.deepStrictEqual(Result.getOrThrow(transactionIdToBytes(family, spelled)), bytes)
        }),
        { numRuns: inputs(5_000) }
      )
    })

    it("two spellings of one id give one idempotency key and one on-chain id, and two ids give two texts", () => {
      const chain = ChainSlug.make("a-chain")
      const keysOf = (text: string) =>
        Result.getOrThrow(
          Result.map(parseTransactionId(family, text), (id) => [depositsKey(chain, id), onchainId(chain, id, 3)])
        )
      const cases = fc.tuple(idBytes(family), idBytes(family)).chain(([one, other]) => {
        const text = canonicalText(family, one)
        return fc.record({
          one: respelled(family, text),
          two: respelled(family, text),
          text: fc.constant(text),
          other: fc.constant(canonicalText(family, other))
        })
      })
      fc.assert(
        fc.property(cases, ({ one, other, text, two }) => {
          assert.deepStrictEqual(keysOf(one), keysOf(two))
          assert.strictEqual(Result.getOrThrow(parseTransactionId(family, one)) === other, text === other)
        }),
        { numRuns: inputs(1_000) }
      )
    })

    it("garbage is an error and never a throw; what parses is canonical at once", () => {
      const garbage = fc.oneof(
        fc.string({ maxLength: 140 }),
        fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEFx ".split("")), maxLength: 140 }),
        fc.tuple(idBytes(family), fc.nat(), fc.string({ maxLength: 2 })).map(([bytes, where, put]) => {
          const text = canonicalText(family, bytes)
          const at = where % (text.length + 1)
          return text.slice(0, at) + put + text.slice(at + 1)
        })
      )
      fc.assert(
        fc.property(garbage, (text) => {
          const parsed = parseTransactionId(family, text)
          assert.strictEqual(Result.isSuccess(transactionIdToBytes(family, text)), Result.isSuccess(parsed))
          if (Result.isFailure(parsed)) return
          assert.strictEqual(Result.getOrThrow(parseTransactionId(family, parsed.success)), parsed.success)
        }),
        { numRuns: inputs(20_000, 1_000_000) }
      )
    })

    it("an id that is too short, too long or of another kind is refused", () => {
      const wrong = [
        "",
        "0x",
        "abc",
        "f".repeat(62),
        `0x${"f".repeat(66)}`.repeat(2),
        "g".repeat(64),
        " ".repeat(1_000_000)
      ]
      for (const text of wrong) assert.isTrue(Result.isFailure(parseTransactionId(family, text)))
    })
  })
}
