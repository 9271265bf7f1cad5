import { addressCodec } from "./index.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import type { AddressCodec } from "../chain/Address.ts"

/** Byte strings that are valid accounts of the family. */
const accountBytes: {
  readonly [name: string]: readonly [AddressCodec, fc.Arbitrary<Uint8Array>, fc.Arbitrary<Uint8Array>]
} = (() => {
  const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })
  const after = (prefix: ReadonlyArray<number>, rest: fc.Arbitrary<Uint8Array>) =>
    rest.map((tail) => Uint8Array.of(...prefix, ...tail))
  const bitcoin = (versions: ReadonlyArray<number>) =>
    fc.oneof(
      after([0], bytes(20)),
      after([0], bytes(32)),
      fc.integer({ min: 1, max: 16 }).chain((version) =>
        after([version], fc.uint8Array({ minLength: 2, maxLength: 40 }))
      ),
      fc.constantFrom(...versions).chain((version) => after([0xff, version], bytes(20)))
    )
  const dexName = fc.array(fc.integer({ min: 0x21, max: 0x7e }), { maxLength: 32 })
  const zeros = fc.constant(new Uint8Array(20))
  return {
    "ethereum-vm": [addressCodec("ethereum-vm"), bytes(20), bytes(20)],
    "solana-vm": [addressCodec("solana-vm"), bytes(32), bytes(32)],
    "tron-vm": [addressCodec("tron-vm"), after([0x41], bytes(20)), after([0x41], bytes(20))],
    "bitcoin-vm mainnet": [addressCodec("bitcoin-vm"), bitcoin([0x00, 0x05]), zeros],
    "bitcoin-vm testnet": [addressCodec("bitcoin-vm", "testnet"), bitcoin([0x6f, 0xc4]), zeros],
    "bitcoin-vm regtest": [addressCodec("bitcoin-vm", "regtest"), bitcoin([0x6f, 0xc4]), zeros],
    "exchangea-vm": [
      addressCodec("exchangea-vm"),
      bytes(20),
      fc.tuple(bytes(16), dexName).map(([token, dex]) => Uint8Array.of(...token, ...dex))
    ],
    "exchangeb-vm": [addressCodec("exchangeb-vm"), bytes(16), bytes(16)]
  }
})()

/** The Bitcoin codecs differ only in their prefixes, so only one of them gets the million inputs. */
const isTestNetwork = (name: string): boolean => /^bitcoin-vm (?:testnet|regtest)$/.test(name)

/** Near misses: a real address with one character changed, inserted or removed. Or arbitrary text. */
const nearly = (real: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: 100 }),
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEFxX".split("")), maxLength: 100 }),
    fc.string({
      unit: fc.constantFrom(..."123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".split("")),
      maxLength: 60
    }),
    fc.tuple(real, fc.nat(), fc.string({ maxLength: 2 }), fc.integer({ min: 0, max: 2 })).map(
      ([text, where, put, drop]) => {
        const at = where % (text.length + 1)
        return text.slice(0, at) + put + text.slice(at + drop)
      }
    ),
    real.map((text) => text.toUpperCase()),
    real.map((text) => ` ${text}`)
  )

for (const [name, [codec, accounts, currencies]] of Object.entries(accountBytes)) {
  const text = accounts.map((bytes) => Result.getOrThrow(codec.fromBytes(bytes)))
  const currencyText = currencies.map((bytes) => Result.getOrThrow(codec.currencyFromBytes(bytes)))

  describe(`addresses of ${name}`, () => {
    it("toBytes undoes fromBytes, and the text is its own canonical spelling", () => {
      fc.assert(
        fc.property(accounts, (bytes) => {
          const address = Result.getOrThrow(codec.fromBytes(bytes))
          assert.deepStrictEqual(Result.getOrThrow(codec.toBytes(address)), bytes)
          assert.strictEqual(Result.getOrThrow(codec.parse(address)), address)
        }),
        { numRuns: inputs(20_000) }
      )
    })

    it("currencyToBytes undoes currencyFromBytes, and the text is its own canonical spelling", () => {
      fc.assert(
        fc.property(currencies, (bytes) => {
          const currency = Result.getOrThrow(codec.currencyFromBytes(bytes))
          assert.deepStrictEqual(Result.getOrThrow(codec.currencyToBytes(currency)), bytes)
          assert.strictEqual(Result.getOrThrow(codec.parseCurrency(currency)), currency)
        }),
        { numRuns: inputs(5_000) }
      )
    })

    it("garbage is an error and never a throw; what parses is canonical at once", () => {
      fc.assert(
        fc.property(nearly(fc.oneof(text, currencyText)), (candidate) => {
          const parsed = codec.parse(candidate)
          const bytes = codec.toBytes(candidate)
          assert.strictEqual(Result.isSuccess(parsed), Result.isSuccess(bytes))
          if (Result.isSuccess(parsed) && Result.isSuccess(bytes)) {
            assert.strictEqual(Result.getOrThrow(codec.parse(parsed.success)), parsed.success)
            assert.strictEqual(Result.getOrThrow(codec.fromBytes(bytes.success)), parsed.success)
          }
          const currency = codec.parseCurrency(candidate)
          const currencyBytes = codec.currencyToBytes(candidate)
          assert.strictEqual(Result.isSuccess(currency), Result.isSuccess(currencyBytes))
          if (Result.isSuccess(currency) && Result.isSuccess(currencyBytes)) {
            assert.strictEqual(Result.getOrThrow(codec.currencyFromBytes(currencyBytes.success)), currency.success)
          }
        }),
        { numRuns: isTestNetwork(name) ? inputs(20_000) : inputs(20_000, 1_000_000) }
      )
    })

    it("bytes of any length are an address with those bytes, or an error", () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
          const address = codec.fromBytes(bytes)
          if (Result.isSuccess(address)) {
            assert.deepStrictEqual(Result.getOrThrow(codec.toBytes(address.success)), bytes)
          }
          const currency = codec.currencyFromBytes(bytes)
          if (Result.isSuccess(currency)) {
            assert.deepStrictEqual(Result.getOrThrow(codec.currencyToBytes(currency.success)), bytes)
          }
        }),
        { numRuns: inputs(5_000) }
      )
    })

    it("two accounts never share bytes or text", () => {
      fc.assert(
        fc.property(accounts, accounts, (left, right) => {
          const same = left.length === right.length && left.every((byte, index) => byte === right[index])
          const texts = [codec.fromBytes(left), codec.fromBytes(right)].map(Result.getOrThrow)
          assert.strictEqual(texts[0] === texts[1], same)
        }),
        { numRuns: inputs(2_000, 100_000) }
      )
    })

    it("a megabyte of any character is refused at once", () => {
      for (const character of ["1", "0", "q", "z", "A", "\u{1F600}", " "]) {
        for (const prefix of ["", "0x", "bc1", "T"]) {
          const long = prefix + character.repeat(1_000_000)
          assert.isTrue(Result.isFailure(codec.parse(long)))
          assert.isTrue(Result.isFailure(codec.parseCurrency(long)))
        }
      }
    })
  })
}

describe("checksums", () => {
  const oneChanged = (real: fc.Arbitrary<string>, alphabet: string) =>
    fc.tuple(real, fc.nat(), fc.constantFrom(...alphabet.split(""))).map(([text, where, put]) => {
      const at = where % text.length
      return { text, changed: text.slice(0, at) + put + text.slice(at + 1) }
    })
  const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

  const refused = (codec: AddressCodec, real: fc.Arbitrary<string>, alphabet: string) => {
    fc.assert(
      fc.property(oneChanged(real, alphabet), ({ changed, text }) => {
        fc.pre(changed !== text)
        assert.isTrue(Result.isFailure(codec.parse(changed)))
      }),
      { numRuns: inputs(5_000, 200_000) }
    )
  }
  const segwit = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((hash) =>
    Result.getOrThrow(addressCodec("bitcoin-vm").fromBytes(Uint8Array.of(0, ...hash)))
  )
  const legacy = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((hash) =>
    Result.getOrThrow(addressCodec("bitcoin-vm").fromBytes(Uint8Array.of(0xff, 0x00, ...hash)))
  )
  const tron = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((hash) =>
    Result.getOrThrow(addressCodec("tron-vm").fromBytes(Uint8Array.of(0x41, ...hash)))
  )

  it("one wrong character in a Bitcoin or Tron address is always noticed", () => {
    refused(addressCodec("bitcoin-vm"), segwit, "qpzry9x8gf2tvdw0s3jn54khce6mua7l")
    refused(addressCodec("bitcoin-vm"), legacy, base58)
    refused(addressCodec("tron-vm"), tron, base58)
  })

  it("an address of another Bitcoin network is refused", () => {
    for (const network of ["testnet", "regtest"] as const) {
      fc.assert(
        fc.property(fc.oneof(segwit, legacy), (address) => {
          assert.isTrue(Result.isFailure(addressCodec("bitcoin-vm", network).parse(address)))
        }),
        { numRuns: inputs(2_000, 100_000) }
      )
    }
  })
})
