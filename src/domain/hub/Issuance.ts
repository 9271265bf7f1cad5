/**
 * The allocator's signature that a withdrawal was issued (ORACLE-7): by EIP-191 over the keccak256 of packed(uint256
 * hubChainId, address oracleContract, address withdrawalAddress, bytes32 withdrawalId).
 *
 * SECURITY: without it anyone could let a withdrawal that was never issued expire into a payout.
 */
import { concatBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import type { InvalidAbi } from "../encoding/Abi.ts"
import type { InvalidAddress } from "../chain/Address.ts"
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import { type Hex32, hex32FromDigest, hexToBytes } from "../encoding/Hex.ts"
import { keccak } from "../encoding/StructHash.ts"
import { uint256 } from "./Packed.ts"

/** What an allocator issues: one withdrawal, for one account of one hub. */
export interface Issuance {
  /** The hub's EIP-155 number. */
  readonly hubChainId: bigint
  readonly oracleContract: string
  readonly withdrawalAddress: string
  readonly withdrawalId: Hex32
}

/** The 32 bytes that the allocator signs. */
export const issuanceHash = (issuance: Issuance): Result.Result<Hex32, InvalidAddress | InvalidAbi> =>
  Result.gen(function*() {
    const hub = yield* uint256(issuance.hubChainId, "hubChainId")
    const oracle = yield* protocolAccounts.toBytes(issuance.oracleContract)
    const account = yield* protocolAccounts.toBytes(issuance.withdrawalAddress)
    return hex32FromDigest(keccak(concatBytes(hub, oracle, account, hexToBytes(issuance.withdrawalId))))
  })
