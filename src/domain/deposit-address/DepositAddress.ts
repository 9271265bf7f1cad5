/**
 * The deposit address of an order on EVM chains: made by CREATE2 in the factory (ADDRESS-1).
 *
 * A client needs only the factory's address, the same on every chain, to recompute its quote's address before showing
 * it. A test compares this with the contract's `computeDepositAddress`. Not for Tron and the zkSync stack: their
 * CREATE2 differs.
 */
import { firstMadeBytes } from "../families/ethereum/FirstMadeBy.ts"
import { concatBytes, hexToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import { type Address, type InvalidAddress, invalidAddress } from "../families/AddressCodec.ts"
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import { type Hex32, hex32FromDigest } from "../encoding/Hex.ts"
import { hashWords, keccak, wordOf } from "../encoding/StructHash.ts"
import type { OrderId } from "../order/Order.ts"

/** What determines a deposit address on EVM chains. */
export interface DepositAddressParts {
  /** The contract that makes the addresses. */
  readonly factory: Address
  /** The order of the quote that the address was made for. */
  readonly orderId: OrderId
  /** Owns what arrives and no order claims: the quote's `recoveryAddress` if it has one, else its `user`. */
  readonly depositor: Address
}

/** The proxy's init code before and after the two addresses. DepositAddresses.sol explains each byte. */
const beforeFactory = hexToBytes("60498060095f395ff33373")
const beforeImplementation = hexToBytes("14601b57005b365f5f375f5f365f73")
const afterImplementation = hexToBytes("5af43d5f5f3e6045573d5ffd5b3d5ff3")

const create2Prefix = Uint8Array.of(0xff)

const addressBytes = (digest: Uint8Array): Uint8Array => digest.subarray(12)

const initCodeHash = (factory: Uint8Array): Uint8Array => {
  const implementation = firstMadeBytes(factory)
  return keccak(concatBytes(beforeFactory, factory, beforeImplementation, implementation, afterImplementation))
}

const saltBytes = (orderId: OrderId, depositor: Address): Result.Result<Uint8Array, InvalidAddress> =>
  Result.flatMap(protocolAccounts.toBytes(depositor), (bytes) =>
    // Payments to an address without a depositor could never be deposited.
    bytes.every((byte) => byte === 0)
      ? Result.fail(invalidAddress(protocolAccounts.family, depositor, "the zero address is nobody's"))
      : Result.succeed(hashWords([hexToBytes(orderId.slice(2)), wordOf(bytes)])))

/** The CREATE2 salt of a deposit address: keccak256(abi.encode(orderId, depositor)). Fails for the zero address. */
export const depositAddressSalt = (orderId: OrderId, depositor: Address): Result.Result<Hex32, InvalidAddress> =>
  Result.map(saltBytes(orderId, depositor), hex32FromDigest)

/** The deposit address. Fails when factory or depositor is not an EVM address, or the depositor is the zero address. */
export const computeDepositAddress = (
  { depositor, factory, orderId }: DepositAddressParts
): Result.Result<Address, InvalidAddress> =>
  Result.gen(function*() {
    const maker = yield* protocolAccounts.toBytes(factory)
    const salt = yield* saltBytes(orderId, depositor)
    return yield* protocolAccounts.fromBytes(
      addressBytes(keccak(concatBytes(create2Prefix, maker, salt, initCodeHash(maker))))
    )
  })
