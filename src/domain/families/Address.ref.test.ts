/** Addresses against other implementations: bitcoinjs-lib, tronweb, @solana/kit, viem. */
import { addressCodec } from "./index.ts"
import { assert, describe, it } from "@effect/vitest"
import { address as solanaAddress, getAddressEncoder } from "@solana/kit"
import { address as bitcoinAddress, networks, opcodes, script } from "bitcoinjs-lib"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { getAddress, isAddress } from "viem"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { asAddress } from "./AddressCodec.ts"
import { addressOfScript, scriptOfAddress } from "./bitcoin/BitcoinScript.ts"
import { checksummed } from "./HexAccount.ts"

const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })
const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}
const orUndefined = <A, E>(result: Result.Result<A, E>): A | undefined =>
  Result.isSuccess(result) ? result.success : undefined

/** A real text with at most one character changed. */
const perhapsChanged = (text: string, where: number, put: string): string => {
  const at = where % (text.length + 1)
  return text.slice(0, at) + put + text.slice(at + put.length)
}
const change = fc.tuple(fc.nat(), fc.string({ maxLength: 1 }))

describe("viem", () => {
  it("spells the same checksums, and agrees on which mixed case is an address", () => {
    const codec = addressCodec("ethereum-vm")
    fc.assert(
      fc.property(bytes(20), fc.nat(), (account, where) => {
        const text = Result.getOrThrow(codec.fromBytes(account))
        const spelled = getAddress(text)
        assert.strictEqual(checksummed(text), spelled)
        const at = 2 + where % 40
        const flipped = spelled.slice(0, at) +
          (spelled.charAt(at) === text.charAt(at) ? spelled.charAt(at).toUpperCase() : text.charAt(at)) +
          spelled.slice(at + 1)
        const isOneCase = flipped === text || flipped === `0x${text.slice(2).toUpperCase()}`
        assert.strictEqual(Result.isSuccess(codec.parse(flipped)), isOneCase || isAddress(flipped))
      }),
      { numRuns: inputs(3_000, 100_000) }
    )
  })
})

describe("@solana/kit", () => {
  const codec = addressCodec("solana-vm")
  const encoder = getAddressEncoder()

  it("reads the same bytes and accepts the same texts", () => {
    fc.assert(
      fc.property(bytes(32), change, fc.nat(4), (account, [where, put], zeros) => {
        account.fill(0, 0, zeros)
        const text = Result.getOrThrow(codec.fromBytes(account))
        assert.deepStrictEqual(Uint8Array.from(encoder.encode(solanaAddress(text))), account)
        const candidate = perhapsChanged(text, where, put)
        const theirs = attempt(() => Uint8Array.from(encoder.encode(solanaAddress(candidate))))
        assert.deepStrictEqual(orUndefined(codec.toBytes(candidate)), theirs)
      }),
      { numRuns: inputs(5_000, 200_000) }
    )
  })
})

describe("bitcoinjs-lib", () => {
  const kinds = { mainnet: networks.bitcoin, testnet: networks.testnet, regtest: networks.regtest }
  const legacy = { mainnet: [0x00, 0x05], testnet: [0x6f, 0xc4], regtest: [0x6f, 0xc4] } as const

  for (const network of ["mainnet", "testnet", "regtest"] as const) {
    const codec = addressCodec("bitcoin-vm", network)
    const accounts = fc.oneof(
      fc.constantFrom(20, 32).chain(bytes).map((program) => Uint8Array.of(0, ...program)),
      bytes(32).map((program) => Uint8Array.of(1, ...program)),
      fc.tuple(fc.integer({ min: 2, max: 16 }), fc.uint8Array({ minLength: 2, maxLength: 40 }))
        .map(([version, program]) => Uint8Array.of(version, ...program)),
      fc.tuple(fc.constantFrom(...legacy[network]), bytes(20)).map(([version, hash]) =>
        Uint8Array.of(0xff, version, ...hash)
      )
    )

    it(`reads the same programs and hashes on ${network}`, () => {
      fc.assert(
        fc.property(accounts, change, (account, [where, put]) => {
          const text = Result.getOrThrow(codec.fromBytes(account))
          const theirs = (candidate: string): Uint8Array | undefined => {
            const segwit = attempt(() => bitcoinAddress.fromBech32(candidate))
            if (segwit !== undefined && segwit.prefix === kinds[network].bech32) {
              return Uint8Array.of(segwit.version, ...segwit.data)
            }
            const old = attempt(() => bitcoinAddress.fromBase58Check(candidate))
            const known = old !== undefined &&
              (old.version === kinds[network].pubKeyHash || old.version === kinds[network].scriptHash)
            return known ? Uint8Array.of(0xff, old.version, ...old.hash) : undefined
          }
          assert.deepStrictEqual(theirs(text), account)
          const candidate = perhapsChanged(text, where, put)
          assert.deepStrictEqual(orUndefined(codec.toBytes(candidate)), theirs(candidate))
        }),
        { numRuns: inputs(3_000, 100_000) }
      )
    })

    it(`makes the same scripts on ${network}, and reads them back`, () => {
      fc.assert(
        fc.property(accounts, (account) => {
          const text = Result.getOrThrow(codec.fromBytes(account))
          const made = Result.getOrThrow(scriptOfAddress(text, network))
          const [version = 0] = account
          // For version 1 their toOutputScript needs a curve library, and it warns about later versions.
          const isLater = version > 0 && version < 0xff
          assert.strictEqual(
            bytesToHex(made),
            bytesToHex(
              isLater
                ? script.compile([(opcodes["OP_1"] ?? 0) + version - 1, account.slice(1)])
                : bitcoinAddress.toOutputScript(text, kinds[network])
            )
          )
          assert.strictEqual(Result.getOrThrow(addressOfScript(made, network)), text)
        }),
        { numRuns: inputs(2_000, 50_000) }
      )
    })
  }

  it("a script of garbage pays no address, or one whose script it is", () => {
    const shaped = fc.oneof(
      fc.uint8Array({ maxLength: 45 }),
      fc.tuple(fc.constantFrom(0x00, 0x4f, 0x50, 0x51, 0x60, 0x61), fc.uint8Array({ maxLength: 42 }))
        .map(([op, program]) => Uint8Array.of(op, program.length, ...program)),
      // A real P2PKH or P2SH script with one byte changed.
      fc.tuple(bytes(20), fc.boolean(), fc.nat(), fc.integer({ min: 0, max: 255 })).map(
        ([hash, isKey, where, byte]) => {
          const real = isKey
            ? Uint8Array.of(0x76, 0xa9, 20, ...hash, 0x88, 0xac)
            : Uint8Array.of(0xa9, 20, ...hash, 0x87)
          real[where % real.length] = byte
          return real
        }
      )
    )
    fc.assert(
      fc.property(shaped, (output) => {
        const paid = addressOfScript(output, "mainnet")
        if (Result.isFailure(paid)) return
        assert.deepStrictEqual(Result.getOrThrow(scriptOfAddress(paid.success, "mainnet")), output)
      }),
      { numRuns: inputs(20_000, 1_000_000) }
    )
  })
})

describe("tronweb", () => {
  it("reads the same bytes and accepts the same texts", async () => {
    const { TronWeb } = await import("tronweb")
    const codec = addressCodec("tron-vm")
    fc.assert(
      fc.property(bytes(20), change, (account, [where, put]) => {
        const text = Result.getOrThrow(codec.fromBytes(Uint8Array.of(0x41, ...account)))
        assert.strictEqual(TronWeb.address.toHex(text), `41${bytesToHex(account)}`)
        assert.strictEqual(TronWeb.address.fromHex(`41${bytesToHex(account)}`), text)
        const candidate = perhapsChanged(text, where, put)
        assert.strictEqual(
          Result.isSuccess(codec.parse(candidate)),
          TronWeb.isAddress(candidate) && candidate.startsWith("T")
        )
      }),
      { numRuns: inputs(3_000, 100_000) }
    )
  })
})

it("the zero account of Tron is its native currency", () => {
  assert.strictEqual(
    Result.getOrThrow(addressCodec("tron-vm").fromBytes(Uint8Array.of(0x41, ...new Uint8Array(20)))),
    asAddress(addressCodec("tron-vm").nativeCurrency)
  )
})
