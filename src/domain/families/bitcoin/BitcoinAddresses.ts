/**
 * Addresses of bitcoin-vm on one network: segwit and base58 (PROTO-3).
 *
 * Bytes: witness version and program. For base58: 0xff, the version byte and the hash, which keeps P2PKH and P2WPKH of
 * one key apart. Addresses of other networks are refused. The native currency is a sentinel and not a valid address
 * (its program has 19 bytes). It is matched as text on every network, and its bytes are 20 zeros. There is no other
 * currency.
 */
import * as Result from "effect/Result"
import {
  type Address,
  type AddressCodec,
  asAddress,
  asCurrency,
  type InvalidAddress,
  invalidAddress
} from "../AddressCodec.ts"
import { base58CheckBytes, base58CheckText } from "../Base58.ts"
import type { ChainNetwork } from "../../chain/ChainNetwork.ts"
import { bitcoinPrefixes } from "./BitcoinPrefixes.ts"
import { readSegwit, writeSegwit } from "./SegwitText.ts"
import { hexDigits } from "../../encoding/HexDigits.ts"

const family = "bitcoin-vm"
const sentinel = "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8"
const base58Marker = 0xff

interface Parsed {
  readonly address: Address
  readonly bytes: Uint8Array
}

/** The codec of one network. It accepts that network's addresses only. */
export const bitcoinAddresses = (network: ChainNetwork): AddressCodec => {
  const { bech32, pubKeyHash, scriptHash } = bitcoinPrefixes[network]

  const read = (text: string): Result.Result<Parsed, InvalidAddress> => {
    const witness = readSegwit(text, bech32)
    if (witness !== undefined) {
      return Result.succeed({
        address: asAddress(text.toLowerCase()),
        bytes: Uint8Array.of(witness.version, ...witness.program)
      })
    }
    const legacy = base58CheckBytes(text, 21)
    if (legacy !== undefined && (legacy[0] === pubKeyHash || legacy[0] === scriptHash)) {
      return Result.succeed({ address: asAddress(text), bytes: Uint8Array.of(base58Marker, ...legacy) })
    }
    return Result.fail(invalidAddress(family, text, `neither segwit nor base58 of ${network}`))
  }

  const textOf = (bytes: Uint8Array): string | undefined => {
    const first = bytes[0]
    if (first === undefined) return undefined
    if (first !== base58Marker) return writeSegwit({ version: first, program: bytes.slice(1) }, bech32)
    const known = bytes.length === 22 && (bytes[1] === pubKeyHash || bytes[1] === scriptHash)
    return known ? base58CheckText(bytes.slice(1)) : undefined
  }

  const notCurrency = (input: string) => Result.fail(invalidAddress(family, input, "not the native currency"))

  return {
    family,
    nativeCurrency: asCurrency(sentinel),
    parse: (text) => Result.map(read(text), (parsed) => parsed.address),
    toBytes: (text) => Result.map(read(text), (parsed) => parsed.bytes),
    fromBytes: (bytes) => {
      const text = textOf(bytes)
      return text === undefined
        ? Result.fail(invalidAddress(family, hexDigits(bytes.subarray(0, 64)), `no address of ${network}`))
        : Result.succeed(asAddress(text))
    },
    parseCurrency: (text) => text === sentinel ? Result.succeed(asCurrency(sentinel)) : notCurrency(text),
    currencyToBytes: (text) => text === sentinel ? Result.succeed(new Uint8Array(20)) : notCurrency(text),
    currencyFromBytes: (bytes) =>
      bytes.length === 20 && bytes.every((byte) => byte === 0)
        ? Result.succeed(asCurrency(sentinel))
        : notCurrency(hexDigits(bytes.subarray(0, 64)))
  }
}
