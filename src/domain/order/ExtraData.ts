/**
 * The `extraData` of an output or a refund: abi(address router) on ethereum-vm and tron-vm, empty
 * elsewhere (ORDER-4).
 *
 * The router is a family address here: base58 on Tron, whose 20 bytes after 0x41 the ABI holds.
 * A chain of these families that has no router has empty extra data too: its payments are direct.
 */
import * as Result from "effect/Result"
import { abiAddress, abiTuple, decodeAbi, encodeAbi, InvalidAbi } from "../encoding/Abi.ts"
import { type Address, addressCodec, type InvalidAddress } from "../chain/Address.ts"
import { accountOfTron, tronOfAccount } from "../families/tron/TronAddresses.ts"
import { type Hex, hexFromBytes } from "../encoding/Hex.ts"
import type { VmFamily } from "../chain/VmFamily.ts"

const shape = abiTuple({ router: abiAddress })
const empty: Hex = hexFromBytes(new Uint8Array(0))

/** The EVM spelling of a router; Tron's is its account without the leading 0x41. */
const toAccount = (family: "ethereum-vm" | "tron-vm", router: string): Result.Result<Address, InvalidAddress> =>
  family === "ethereum-vm" ? addressCodec(family).parse(router) : accountOfTron(router)

const ofAccount = (family: "ethereum-vm" | "tron-vm", account: Address): Result.Result<Address, InvalidAddress> =>
  family === "ethereum-vm" ? Result.succeed(account) : tronOfAccount(account)

/** The extra data that names a router, empty without one; a router of a family that has none is an error. */
export const encodeExtraData = (
  family: VmFamily,
  router: Address | undefined
): Result.Result<Hex, InvalidAbi | InvalidAddress> => {
  if (router === undefined) return Result.succeed(empty)
  if (family !== "ethereum-vm" && family !== "tron-vm") {
    return Result.fail(new InvalidAbi({ reason: `${family} has no router` }))
  }
  return Result.flatMap(toAccount(family, router), (account) => encodeAbi(shape, { router: account }))
}

/** The router that the extra data names, `undefined` for none. */
export const decodeExtraData = (
  family: VmFamily,
  extraData: Hex
): Result.Result<Address | undefined, InvalidAbi | InvalidAddress> => {
  if (extraData === empty) return Result.succeed(undefined)
  if (family === "ethereum-vm" || family === "tron-vm") {
    return Result.flatMap(decodeAbi(shape, extraData), ({ router }) => ofAccount(family, router))
  }
  return Result.fail(new InvalidAbi({ reason: `${family} has no extra data` }))
}
