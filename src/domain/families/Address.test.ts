import { addressCodec } from "./index.ts"
import { assert, describe, it } from "@effect/vitest"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import vectors from "../hub/vectors/settlement.json" with { type: "json" }
import { EthereumAddress } from "../chain/Address.ts"
import { VmFamily, vmFamilies } from "../chain/VmFamily.ts"
import { asAddress } from "./AddressCodec.ts"
import { checksummed } from "./HexAccount.ts"

const refused = (result: Result.Result<unknown, { readonly reason: string }>): string =>
  Result.isFailure(result) ? result.failure.reason : assert.fail("accepted")

describe("pinned bytes", () => {
  it("of addresses", () => {
    for (const { address, bytes, vm } of vectors.addressBytes) {
      const codec = addressCodec(Schema.decodeUnknownSync(VmFamily)(vm))
      assert.strictEqual(`0x${bytesToHex(Result.getOrThrow(codec.toBytes(address)))}`, bytes)
    }
  })

  it("of every family's native currency", () => {
    const bytes = Object.fromEntries(vmFamilies.map((family) => {
      const codec = addressCodec(family)
      return [family, bytesToHex(Result.getOrThrow(codec.currencyToBytes(codec.nativeCurrency)))]
    }))
    assert.deepStrictEqual(bytes, {
      "ethereum-vm": "00".repeat(20),
      "solana-vm": "00".repeat(32),
      "bitcoin-vm": "00".repeat(20),
      "exchangea-vm": "00".repeat(16),
      "exchangeb-vm": "00".repeat(16),
      "tron-vm": `41${"00".repeat(20)}`
    })
  })
})

describe("ethereum-vm", () => {
  const codec = addressCodec("ethereum-vm")
  const checked = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
  const canonical = checked.toLowerCase()

  it("accepts lower, upper and EIP-55 case, and makes them lower case", () => {
    for (const text of [checked, canonical, `0x${canonical.slice(2).toUpperCase()}`]) {
      assert.strictEqual(Result.getOrThrow(codec.parse(text)), canonical)
    }
    assert.strictEqual(checksummed(asAddress(canonical)), checked)
  })

  it("refuses a wrong checksum, a wrong prefix, wrong lengths and spaces", () => {
    assert.strictEqual(refused(codec.parse("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")), "wrong EIP-55 checksum")
    for (
      const text of [
        canonical.slice(2),
        `0X${canonical.slice(2)}`,
        canonical.slice(0, -1),
        `${canonical}0`,
        ` ${canonical}`,
        ""
      ]
    ) {
      assert.strictEqual(refused(codec.parse(text)), "not 0x and 40 hex digits")
    }
  })

  it("is the schema of accounts on the wire", () => {
    assert.strictEqual(Schema.decodeSync(EthereumAddress)(checked), canonical)
    assert.isTrue(Result.isFailure(Schema.decodeResult(EthereumAddress)("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")))
  })
})

describe("bitcoin-vm", () => {
  const mainnet = addressCodec("bitcoin-vm")

  it("matches the native sentinel as text, as a currency only, on every network", () => {
    for (const network of ["mainnet", "testnet", "regtest"] as const) {
      const codec = addressCodec("bitcoin-vm", network)
      assert.strictEqual(
        Result.getOrThrow(codec.parseCurrency("bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8")),
        codec.nativeCurrency
      )
      refused(codec.parse("bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8"))
      refused(codec.parseCurrency("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"))
    }
  })

  it("accepts the native sentinel as a currency only, on every network", () => {
    const hash = new Uint8Array(20).fill(7)
    const legacy = Result.getOrThrow(mainnet.fromBytes(Uint8Array.of(0xff, 0x00, ...hash)))
    const segwit = Result.getOrThrow(mainnet.fromBytes(Uint8Array.of(0x00, ...hash)))
    assert.notStrictEqual(legacy, segwit)
    assert.notDeepEqual(mainnet.toBytes(legacy), mainnet.toBytes(segwit))
  })

  it("accepts BIP-350's valid addresses, upper case made lower", () => {
    for (
      const text of [
        "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
        "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
        "BC1SW50QGDZ25J",
        "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs",
        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"
      ]
    ) assert.strictEqual(Result.getOrThrow(mainnet.parse(text)), text.toLowerCase())
  })

  it("refuses BIP-350's invalid addresses", () => {
    for (
      const text of [
        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
        "BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL",
        "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh",
        "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4",
        "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R",
        "bc1pw5dgrnzv",
        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav",
        "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P",
        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf",
        "bc1gmk9yu",
        "bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
      ]
    ) refused(mainnet.parse(text))
  })
})

describe("tron-vm", () => {
  it("refuses base58check of 21 bytes that do not begin with 0x41, and the hex spelling", () => {
    const codec = addressCodec("tron-vm")
    assert.strictEqual(refused(codec.parse("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")), "the first byte is not 0x41")
    refused(codec.parse("41f0623e1012177482912fb057e44e1a9769b1f588"))
    refused(addressCodec("bitcoin-vm").parse("TXtEs6t2oUWQsNos7m68gbHdE9Q5n6x2oN"))
    refused(codec.fromBytes(Uint8Array.of(0x42, ...new Uint8Array(20))))
  })
})

describe("exchanges", () => {
  it("exchange A: a token id, with the name of a dex or without", () => {
    const codec = addressCodec("exchangea-vm")
    const token = "0x6D1E7CDE53BA9467B783CB7C530CE054"
    assert.strictEqual(Result.getOrThrow(codec.parseCurrency(token)), token.toLowerCase())
    assert.strictEqual(Result.getOrThrow(codec.parseCurrency(`${token}78797a`)), `${token.toLowerCase()}78797a`)
    for (const text of [`${token}7`, `${token}00`, token.slice(0, -2), `${token}${"61".repeat(33)}`]) {
      refused(codec.parseCurrency(text))
    }
    refused(codec.parse(token))
  })

  it("exchange B: a decimal without leading zeros that fits 16 bytes", () => {
    const codec = addressCodec("exchangeb-vm")
    const largest = (2n ** 128n - 1n).toString()
    assert.strictEqual(bytesToHex(Result.getOrThrow(codec.toBytes(largest))), "ff".repeat(16))
    assert.strictEqual(bytesToHex(Result.getOrThrow(codec.toBytes("258"))), "0102".padStart(32, "0"))
    for (const text of [(2n ** 128n).toString(), "007", "-1", "+1", "1.0", "1e3", "0x1", ""]) refused(codec.parse(text))
  })
})
