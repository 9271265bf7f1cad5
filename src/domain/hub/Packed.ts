/**
 * Solidity's `abi.encodePacked`, and the addresses made of its hashes (PROTO-1).
 *
 * The boundary between two adjacent dynamic members is ambiguous. This cannot be changed: the formulas are those of the
 * deployed protocol.
 */
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import { InvalidAbi } from "../encoding/Abi.ts"
import type { Address } from "../chain/Address.ts"
import { asAddress } from "../families/AddressCodec.ts"
import type { ChainSlug } from "../chain/ChainId.ts"
import { isUint256, keccak, word } from "../encoding/StructHash.ts"
import { hexDigits } from "../encoding/HexDigits.ts"

/** keccak256 of a chain's slug and the parts after it. */
export const hashOnChain = (chain: ChainSlug, ...parts: ReadonlyArray<Uint8Array>): Uint8Array =>
  keccak(concatBytes(utf8ToBytes(chain), ...parts))

/** The last 20 bytes of a hash as an account on the hub, lower case. */
export const accountOfHash = (hash: Uint8Array): Address => asAddress(`0x${hexDigits(hash.subarray(-20))}`)

/** A uint256 as 32 bytes; `member` names it in the error. */
export const uint256 = (value: bigint, member: string): Result.Result<Uint8Array, InvalidAbi> =>
  isUint256(value) ? Result.succeed(word(value)) : Result.fail(new InvalidAbi({ reason: `${member} is no uint256` }))
