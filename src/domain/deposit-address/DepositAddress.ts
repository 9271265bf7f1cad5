/**
 * Where the deposits of an order are paid to on EVM chains: CREATE2 by the factory of deposit addresses (ADDRESS-1).
 *
 * A client needs the factory alone, whose address is the same on every chain, to recompute the address of its quote
 * before it shows it to anybody. Equal to the contract's own `computeDepositAddress` in a test. Not for Tron and the
 * zkSync stack, whose CREATE2 differs.
 */
import { firstMadeBytes } from "../families/ethereum/FirstMadeBy.ts"
import { concatBytes, hexToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import { type Address, type InvalidAddress, invalidAddress } from "../families/AddressCodec.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { type Hex32, hex32FromDigest } from "../encoding/Hex.ts"
import { hashWords, keccak, wordOf } from "../encoding/StructHash.ts"
import type { OrderId } from "../order/Order.ts"

/** What a deposit address on EVM chains follows from. */
export interface DepositAddressParts {
  /** The contract that makes the addresses. */
  readonly factory: Address
  /** The order of the quote that the address was made for. */
  readonly orderId: OrderId
  /** Who is credited with what no order claims: the quote's `recoveryAddress` if it has one, else its `user`. */
  readonly depositor: Address
}

/** The proxy's init code around the two addresses; DepositAddresses.sol says what each byte does. */
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
  Result.flatMap(ethereumAddresses.toBytes(depositor), (bytes) =>
    // What is paid to an address without a depositor could never be deposited.
    bytes.every((byte) => byte === 0)
      ? Result.fail(invalidAddress(ethereumAddresses.family, depositor, "the zero address is nobody's"))
      : Result.succeed(hashWords([hexToBytes(orderId.slice(2)), wordOf(bytes)])))

/** The CREATE2 salt of a deposit address: keccak256(abi.encode(orderId, depositor)). Fails for the zero address. */
export const depositAddressSalt = (orderId: OrderId, depositor: Address): Result.Result<Hex32, InvalidAddress> =>
  Result.map(saltBytes(orderId, depositor), hex32FromDigest)

/**
 * The deposit address itself. Fails when factory or depositor is no EVM address, or the depositor is the zero address.
 */
export const computeDepositAddress = (
  { depositor, factory, orderId }: DepositAddressParts
): Result.Result<Address, InvalidAddress> =>
  Result.gen(function*() {
    const maker = yield* ethereumAddresses.toBytes(factory)
    const salt = yield* saltBytes(orderId, depositor)
    return yield* ethereumAddresses.fromBytes(
      addressBytes(keccak(concatBytes(create2Prefix, maker, salt, initCodeHash(maker))))
    )
  })
