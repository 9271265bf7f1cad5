/**
 * The `extraData` of an output or a refund: abi(address router) in families that have routers, empty elsewhere
 * (ORDER-4).
 *
 * The router is an address of the family here; the ABI holds its account of 20 bytes. A chain of these families that
 * has no router has empty extra data, too: its payments are direct.
 */
import * as Result from "effect/Result"
import { abiAddress, abiTuple, decodeAbi, encodeAbi, InvalidAbi } from "../encoding/Abi.ts"
import type { Address, InvalidAddress } from "../chain/Address.ts"
import { type Hex, hexFromBytes } from "../encoding/Hex.ts"
import type { FamilyName } from "../chain/VmFamily.ts"

const shape = abiTuple({ router: abiAddress })
const empty: Hex = hexFromBytes(new Uint8Array(0))

/** A router's address as an account of 20 bytes, as the EVM writes it, and back. */
export interface RouterAccounts {
  readonly toAccount: (router: string) => Result.Result<Address, InvalidAddress>
  readonly ofAccount: (account: Address) => Result.Result<Address, InvalidAddress>
}

interface RoutedFamily {
  readonly name: FamilyName
  readonly routers?: RouterAccounts
}

/** The extra data that names a router, empty without one; a router of a family that has none is an error. */
export const encodeExtraData = (
  { name, routers }: RoutedFamily,
  router: Address | undefined
): Result.Result<Hex, InvalidAbi | InvalidAddress> => {
  if (router === undefined) return Result.succeed(empty)
  if (routers === undefined) return Result.fail(new InvalidAbi({ reason: `${name} has no router` }))
  return Result.flatMap(routers.toAccount(router), (account) => encodeAbi(shape, { router: account }))
}

/** The router that the extra data names, `undefined` for none. */
export const decodeExtraData = (
  { name, routers }: RoutedFamily,
  extraData: Hex
): Result.Result<Address | undefined, InvalidAbi | InvalidAddress> => {
  if (extraData === empty) return Result.succeed(undefined)
  if (routers === undefined) return Result.fail(new InvalidAbi({ reason: `${name} has no extra data` }))
  return Result.flatMap(decodeAbi(shape, extraData), ({ router }) => routers.ofAccount(router))
}
