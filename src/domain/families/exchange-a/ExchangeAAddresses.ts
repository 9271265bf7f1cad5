/**
 * Accounts and currencies of exchangea-vm (PROTO-3, EXCHANGEA-2).
 *
 * Accounts are 20 bytes, spelled as on ethereum-vm. A currency is a token id of 16 bytes. On a named perps dex the
 * ASCII of the dex name follows. 16 zeros are USDC on perps.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import {
  type AddressCodec,
  asCurrency,
  type CurrencyAddress,
  type InvalidAddress,
  invalidAddress
} from "../AddressCodec.ts"
import { hexAccountFromBytes, hexAccountToBytes, parseHexAccount } from "../HexAccount.ts"
import { hexDigits } from "../../encoding/HexDigits.ts"

const family = "exchangea-vm"
const tokenIdSize = 16
const longestDexName = 32
const spelling = /^0x[0-9a-fA-F]{32,96}$/

const currencyFromBytes = (bytes: Uint8Array): Result.Result<CurrencyAddress, InvalidAddress> => {
  const text = hexDigits(bytes.subarray(0, 64))
  const dex = bytes.subarray(tokenIdSize)
  if (bytes.length < tokenIdSize || dex.length > longestDexName) {
    return Result.fail(invalidAddress(family, text, "not a token id of 16 bytes and a dex name"))
  }
  return dex.every((byte) => byte > 0x20 && byte < 0x7f)
    ? Result.succeed(asCurrency(`0x${text}`))
    : Result.fail(invalidAddress(family, text, "the dex name is not printable ASCII"))
}

const currencyToBytes = (text: string): Result.Result<Uint8Array, InvalidAddress> => {
  if (!spelling.test(text) || text.length % 2 === 1) {
    return Result.fail(invalidAddress(family, text, "not 0x and the hex of 16 to 48 bytes"))
  }
  const bytes = hexToBytes(text.slice(2))
  return Result.map(currencyFromBytes(bytes), () => bytes)
}

export const exchangeAAddresses: AddressCodec = {
  family,
  nativeCurrency: asCurrency("0x00000000000000000000000000000000"),
  parse: (text) => parseHexAccount(family, text),
  toBytes: (text) => hexAccountToBytes(family, text),
  fromBytes: (bytes) => hexAccountFromBytes(family, bytes),
  parseCurrency: (text) => Result.flatMap(currencyToBytes(text), currencyFromBytes),
  currencyToBytes,
  currencyFromBytes
}
