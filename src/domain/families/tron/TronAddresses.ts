/**
 * Addresses of tron-vm: base58check of 21 bytes of which the first is 0x41 (PROTO-3).
 *
 * The base58 text is canonical. The hex spelling of Tron's own APIs is not accepted here; the adapter converts it. The
 * native currency is the zero account.
 */
import * as Result from "effect/Result"
import { type Address, type InvalidAddress, invalidAddress, oneSpelling } from "../AddressCodec.ts"
import { base58CheckBytes, base58CheckText } from "../Base58.ts"
import { ethereumAddresses } from "../ethereum/EthereumAddresses.ts"
import { hexDigits } from "../../encoding/HexDigits.ts"

const family = "tron-vm"

const toBytes = (text: string): Result.Result<Uint8Array, InvalidAddress> => {
  const bytes = base58CheckBytes(text, 21)
  if (bytes === undefined) return Result.fail(invalidAddress(family, text, "not base58check of 21 bytes"))
  return bytes[0] === 0x41
    ? Result.succeed(bytes)
    : Result.fail(invalidAddress(family, text, "the first byte is not 0x41"))
}

const textOf = (bytes: Uint8Array): Result.Result<string, InvalidAddress> =>
  bytes.length === 21 && bytes[0] === 0x41
    ? Result.succeed(base58CheckText(bytes))
    : Result.fail(invalidAddress(family, hexDigits(bytes.subarray(0, 64)), "not 0x41 and 20 bytes"))

export const tronAddresses = oneSpelling(family, "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", toBytes, textOf)

/** The same account in EVM form: the 20 bytes after 0x41. */
export const accountOfTron = (text: string): Result.Result<Address, InvalidAddress> =>
  Result.flatMap(toBytes(text), (bytes) => ethereumAddresses.fromBytes(bytes.subarray(1)))

/** The Tron address of an account in EVM form. */
export const tronOfAccount = (account: string): Result.Result<Address, InvalidAddress> =>
  Result.flatMap(ethereumAddresses.toBytes(account), (bytes) => tronAddresses.fromBytes(Uint8Array.of(0x41, ...bytes)))
