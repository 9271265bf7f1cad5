/**
 * The account on the hub that holds an order's deposit (PROTO-8): the last 20 bytes of keccak256(packed(string chain,
 * bytes depositor, uint256 timestamp, bytes32 depositId)).
 */
import * as Result from "effect/Result"
import type { InvalidAbi } from "../encoding/Abi.ts"
import type { Address, InvalidAddress } from "../chain/Address.ts"
import { type Hex32, hexToBytes } from "../encoding/Hex.ts"
import { type ChainRef, codecOf } from "./ChainRef.ts"
import { accountOfHash, hashOnChain, uint256 } from "./Packed.ts"

/** `timestamp`: the deposit's block time in whole seconds, as its family defines it (PROTO-9). */
export const orderAddress = (
  chain: ChainRef,
  depositor: string,
  timestamp: bigint,
  depositId: Hex32
): Result.Result<Address, InvalidAddress | InvalidAbi> =>
  Result.flatMap(codecOf(chain).toBytes(depositor), (account) =>
    Result.map(
      uint256(timestamp, "timestamp"),
      (seconds) => accountOfHash(hashOnChain(chain.slug, account, seconds, hexToBytes(depositId)))
    ))
