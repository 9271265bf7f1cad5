/**
 * 20-byte accounts in hex, shared by ethereum-vm and exchangea-vm.
 *
 * Lower case is canonical. Digits in one case are accepted. Mixed case must have the right EIP-55 checksum, so a
 * mistyped address is refused.
 */
import { hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import type { FamilyName } from "../chain/VmFamily.ts"
import { type Address, asAddress, type InvalidAddress, invalidAddress } from "./AddressCodec.ts"
import { hexDigits } from "../encoding/HexDigits.ts"
import { keccak } from "../encoding/Keccak.ts"

const canonical = /^0x[0-9a-f]{40}$/
const anyCase = /^0x[0-9a-fA-F]{40}$/

const NINE = "9".charCodeAt(0)
const TO_UPPER = "a".charCodeAt(0) - "A".charCodeAt(0)

/** The EIP-55 spelling of a canonical account: a letter is in upper case where its digit of the digest is above 7. */
export const checksummed = (account: Address): string => {
  const digits = account.slice(2)
  const digest = keccak(utf8ToBytes(digits))
  const codes: Array<number> = []
  for (let at = 0; at < digits.length; at++) {
    const code = digits.charCodeAt(at)
    const byte = digest[at >> 1] ?? 0
    codes.push(code > NINE && (at % 2 === 0 ? byte >> 4 : byte & 15) > 7 ? code - TO_UPPER : code)
  }
  return `0x${String.fromCharCode.apply(null, codes)}`
}

/** Parses an account in lower, upper or EIP-55 case. The result is in lower case. */
export const parseHexAccount = (family: FamilyName, text: string): Result.Result<Address, InvalidAddress> => {
  if (canonical.test(text)) return Result.succeed(asAddress(text))
  if (!anyCase.test(text)) return Result.fail(invalidAddress(family, text, "not 0x and 40 hex digits"))
  const account = asAddress(text.toLowerCase())
  const digits = text.slice(2)
  if (digits === digits.toUpperCase() || text === checksummed(account)) return Result.succeed(account)
  return Result.fail(invalidAddress(family, text, "wrong EIP-55 checksum"))
}

/** The 20 bytes of an account in any accepted spelling. */
export const hexAccountToBytes = (family: FamilyName, text: string): Result.Result<Uint8Array, InvalidAddress> =>
  Result.map(parseHexAccount(family, text), (account) => hexToBytes(account.slice(2)))

/** The account with these 20 bytes. */
export const hexAccountFromBytes = (family: FamilyName, bytes: Uint8Array): Result.Result<Address, InvalidAddress> =>
  bytes.length === 20
    ? Result.succeed(asAddress(`0x${hexDigits(bytes)}`))
    : Result.fail(invalidAddress(family, hexDigits(bytes.subarray(0, 64)), "not 20 bytes"))
