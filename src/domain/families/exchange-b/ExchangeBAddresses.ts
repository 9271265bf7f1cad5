/**
 * Accounts and currencies of exchangeb-vm: an index, as 16 bytes big-endian (PROTO-3).
 *
 * The only spelling is the decimal without leading zeros. "0" is the native currency.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import { type InvalidAddress, invalidAddress, oneSpelling } from "../AddressCodec.ts"
import { hexDigits } from "../../encoding/HexDigits.ts"

const family = "exchangeb-vm"
const size = 16
const decimal = /^(?:0|[1-9][0-9]{0,38})$/

const toBytes = (text: string): Result.Result<Uint8Array, InvalidAddress> => {
  if (!decimal.test(text)) return Result.fail(invalidAddress(family, text, "not a decimal index"))
  const digits = BigInt(text).toString(16)
  return digits.length > size * 2
    ? Result.fail(invalidAddress(family, text, "does not fit 16 bytes"))
    : Result.succeed(hexToBytes(digits.padStart(size * 2, "0")))
}

const textOf = (bytes: Uint8Array): Result.Result<string, InvalidAddress> =>
  bytes.length === size
    ? Result.succeed(BigInt(`0x${hexDigits(bytes)}`).toString())
    : Result.fail(invalidAddress(family, hexDigits(bytes.subarray(0, 64)), "not 16 bytes"))

export const exchangeBAddresses = oneSpelling(family, "0", toBytes, textOf)
