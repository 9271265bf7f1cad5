/**
 * The spender of an EIP-2612 permit: an address derived for the order. The Forwarder deploys it by CREATE2 to take the
 * amount, and it can do nothing else. So an allowance for it is the owner's consent to owner, token, amount, order and
 * deadline.
 *
 * A test compares it with the contract's own `spenderOf`.
 */
import { concatBytes, hexToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import type { Address, InvalidAddress } from "../chain/Address.ts"
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import { hashWords, keccak, word, wordOf } from "../encoding/StructHash.ts"
import type { OrderId } from "../order/Order.ts"

/** What an owner consents to, for every kind. */
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

/** Fails when an account is not an EVM account. */
export const permitSpender = (
  forwarder: Address,
  { amount, deadline, orderId, owner, token }: Permitted
): Result.Result<Address, InvalidAddress> =>
  Result.gen(function*() {
    const bytesOf = protocolAccounts.toBytes
    const salt = hashWords([
      wordOf(yield* bytesOf(owner)),
      wordOf(yield* bytesOf(token)),
      word(amount),
      hexToBytes(orderId.slice(2)),
      word(BigInt(deadline))
    ])
    return yield* protocolAccounts.fromBytes(
      keccak(concatBytes(create2Prefix, yield* bytesOf(forwarder), salt, PULLER_HASH)).subarray(12)
    )
  })
