/**
 * Whom an EIP-2612 permit allows: an address of the order's own, which the Forwarder makes by CREATE2 to take the
 * amount, and which can do nothing else. An allowance for it is therefore the owner's word on owner, token, amount,
 * order and deadline.
 *
 * Equal to the contract's own `spenderOf` in a test.
 */
import { concatBytes, hexToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import type { Address, InvalidAddress } from "../chain/Address.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { hashWords, keccak, word, wordOf } from "../encoding/StructHash.ts"
import type { OrderId } from "../order/Order.ts"

/** What an owner signs for, whatever the kind. */
export interface Permitted {
  readonly owner: Address
  readonly token: Address
  /** Smallest units of the token. */
  readonly amount: bigint
  readonly orderId: OrderId
  /** Seconds. */
  readonly deadline: number
}

/** keccak256 of the init code of Puller.sol, which has no arguments. */
const PULLER_HASH = hexToBytes("197c779bf6ecb48ba1d330a05c7c116a54bc47a0ee03bd8deca33ba0618a3257")

const create2Prefix = Uint8Array.of(0xff)

/** Fails for what is no account of an EVM chain. */
export const permitSpender = (
  forwarder: Address,
  { amount, deadline, orderId, owner, token }: Permitted
): Result.Result<Address, InvalidAddress> =>
  Result.gen(function*() {
    const bytesOf = ethereumAddresses.toBytes
    const salt = hashWords([
      wordOf(yield* bytesOf(owner)),
      wordOf(yield* bytesOf(token)),
      word(amount),
      hexToBytes(orderId.slice(2)),
      word(BigInt(deadline))
    ])
    return yield* ethereumAddresses.fromBytes(
      keccak(concatBytes(create2Prefix, yield* bytesOf(forwarder), salt, PULLER_HASH)).subarray(12)
    )
  })
