/**
 * Addresses of solana-vm: base58 of 32 bytes, wallets and mints alike (PROTO-3).
 *
 * Base58 has one spelling for given bytes, so the text itself is canonical.
 */
import { base58 } from "@scure/base"
import * as Result from "effect/Result"
import { type InvalidAddress, invalidAddress, oneSpelling } from "../AddressCodec.ts"
import { base58Bytes } from "../Base58.ts"
import { hexDigits } from "../../encoding/HexDigits.ts"

const family = "solana-vm"

const toBytes = (text: string): Result.Result<Uint8Array, InvalidAddress> => {
  const bytes = base58Bytes(text, 32)
  return bytes === undefined
    ? Result.fail(invalidAddress(family, text, "not base58 of 32 bytes"))
    : Result.succeed(bytes)
}

const textOf = (bytes: Uint8Array): Result.Result<string, InvalidAddress> =>
  bytes.length === 32
    ? Result.succeed(base58.encode(bytes))
    : Result.fail(invalidAddress(family, hexDigits(bytes.subarray(0, 64)), "not 32 bytes"))

export const solanaAddresses = oneSpelling(family, "11111111111111111111111111111111", toBytes, textOf)
