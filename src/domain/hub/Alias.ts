/**
 * The account on the hub that stands for an account on some chain (PROTO-6):
 * the last 20 bytes of keccak256(packed(string chain, bytes address)), lower case.
 */
import * as Result from "effect/Result"
import type { Address, InvalidAddress } from "../chain/Address.ts"
import { type ChainRef, codecOf } from "./ChainRef.ts"
import { accountOfHash, hashOnChain } from "./Packed.ts"

/** Fails when the text is not an address of the chain's family. */
export const alias = (chain: ChainRef, address: string): Result.Result<Address, InvalidAddress> =>
  Result.map(codecOf(chain).toBytes(address), (bytes) => accountOfHash(hashOnChain(chain.slug, bytes)))
