/**
 * An execution: actions for the hub under a key that is executed once, and the digest that oracles sign (EXEC-4).
 *
 * The digest is the EIP-712 digest for the hub's oracle contract. The domain's name is part of the deployed contract,
 * so it comes from the configuration and is never a constant here.
 */
import { concatBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import type { InvalidAbi } from "../encoding/Abi.ts"
import type { InvalidAddress } from "../chain/Address.ts"
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import { type Hex, type Hex32, hexToBytes } from "../encoding/Hex.ts"
import { hashWords, keccak, keccakText, wordOf } from "../encoding/StructHash.ts"
import { uint256 } from "./Packed.ts"

/** Actions on a hub under one idempotency key. A gate carries out each key once. */
export interface Execution {
  readonly idempotencyKey: Hex32
  /** Encoded actions, in order. */
  readonly actions: ReadonlyArray<Hex>
}

/** The EIP-712 domain of the hub's oracle contract. */
export interface ExecutionDomain {
  /** "RelayOracle" unless the hub's configuration says otherwise. */
  readonly name: string
  /** "1" unless the hub's configuration says otherwise. */
  readonly version: string
  /** The hub's EIP-155 number. */
  readonly chainId: bigint
  readonly verifyingContract: string
}

const domainTypeHash = keccakText(
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)
const executionTypeHash = keccakText("Execution(bytes32 idempotencyKey,bytes[] actions)")
const prefix = Uint8Array.of(0x19, 0x01)

/** `hashStruct` of an execution. The same for every hub. */
export const executionHash = (execution: Execution): Uint8Array =>
  hashWords([
    executionTypeHash,
    hexToBytes(execution.idempotencyKey),
    hashWords(execution.actions.map((action) => keccak(hexToBytes(action))))
  ])

/** The EIP-712 separator of a hub's oracle contract. */
export const domainSeparator = (
  domain: ExecutionDomain
): Result.Result<Uint8Array, InvalidAbi | InvalidAddress> =>
  Result.gen(function*() {
    const chainId = yield* uint256(domain.chainId, "chainId")
    const contract = yield* protocolAccounts.toBytes(domain.verifyingContract)
    return hashWords([domainTypeHash, keccakText(domain.name), keccakText(domain.version), chainId, wordOf(contract)])
  })

/** The 32 bytes that an oracle signs directly, without EIP-191, under a domain with a known separator. */
export const digestUnder = (separator: Uint8Array, execution: Execution): Uint8Array =>
  keccak(concatBytes(prefix, separator, executionHash(execution)))

/** `digestUnder` with the separator of this domain. */
export const executionDigest = (
  domain: ExecutionDomain,
  execution: Execution
): Result.Result<Uint8Array, InvalidAbi | InvalidAddress> =>
  Result.map(domainSeparator(domain), (separator) => digestUnder(separator, execution))
