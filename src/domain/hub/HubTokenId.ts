/**
 * The ERC-6909 token on the hub that stands for a currency on some chain (PROTO-7):
 * uint256(keccak256(packed(string chain, bytes currency))).
 */
import * as Result from "effect/Result"
import type { InvalidAddress } from "../chain/Address.ts"
import { type ChainRef, codecOf } from "./ChainRef.ts"
import { hashOnChain } from "./Packed.ts"
import { hexDigits } from "../encoding/HexDigits.ts"

/** Fails when the text is not a currency of the chain's family. */
export const hubTokenId = (chain: ChainRef, currency: string): Result.Result<bigint, InvalidAddress> =>
  Result.map(
    codecOf(chain).currencyToBytes(currency),
    (bytes) => BigInt(`0x${hexDigits(hashOnChain(chain.slug, bytes))}`)
  )
