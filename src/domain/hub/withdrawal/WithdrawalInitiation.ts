/**
 * The start of a withdrawal from the hub: the message that its owner signs, and the proof of the moved balance
 * (ORACLE-9, ORACLE-10).
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import type { InvalidAbi } from "../../encoding/Abi.ts"
import type { InvalidAddress } from "../../chain/Address.ts"
import { protocolAccounts } from "../../chain/ProtocolAccounts.ts"
import { type Hex, type Hex32, hex32FromDigest, hexFromBytes, hexToBytes } from "../../encoding/Hex.ts"
import { uint256 } from "../Packed.ts"

/** Texts keep the spelling of the request: the owner signs exactly these. */
export interface WithdrawalInitiation {
  readonly settlementChainId: string
  readonly chainId: string
  readonly currency: string
  /** The request's `expectedAmount`, decimal. */
  readonly amount: string
  /** The request's `withdrawerChainId`. */
  readonly ownerChainId: string
  /** The request's `withdrawer`. */
  readonly owner: string
  readonly recipient: string
  /** The request's `withdrawalNonce`, 0x and 64 hex digits. */
  readonly nonce: string
}

/** sha256 of the JSON with sorted keys and without spaces. The owner signs it by EIP-191. */
export const initiationHash = (initiation: WithdrawalInitiation): Hex32 => {
  const { amount, chainId, currency, nonce, owner, ownerChainId, recipient, settlementChainId } = initiation
  // The members are in alphabetical order.
  const json = JSON.stringify({
    amount,
    chainId,
    currency,
    nonce,
    operation: "withdrawal",
    owner,
    ownerChainId,
    recipient,
    settlementChainId
  })
  return hex32FromDigest(sha256(utf8ToBytes(json)))
}

/** packed(address withdrawalAddress, uint256 balance, bytes32 nonce): 84 bytes. */
export const balanceProof = (
  withdrawalAddress: string,
  balance: bigint,
  nonce: Hex32
): Result.Result<Hex, InvalidAddress | InvalidAbi> =>
  Result.gen(function*() {
    const account = yield* protocolAccounts.toBytes(withdrawalAddress)
    const amount = yield* uint256(balance, "balance")
    return hexFromBytes(concatBytes(account, amount, hexToBytes(nonce)))
  })
