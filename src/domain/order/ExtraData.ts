/**
 * The `extraData` of an output or a refund: abi(address router) in families that have routers, empty elsewhere
 * (ORDER-4).
 *
 * Here the router is an address of the family. The ABI contains its 20-byte account. A chain of such a family without a
 * router also has empty extra data: its payments are direct.
 */
import * as Result from "effect/Result"
import { abiAddress, abiTuple, decodeAbi, encodeAbi, InvalidAbi } from "../encoding/Abi.ts"
import type { Address, InvalidAddress } from "../chain/Address.ts"
import { type Hex, hexFromBytes } from "../encoding/Hex.ts"
import type { FamilyName } from "../chain/VmFamily.ts"

const shape = abiTuple({ router: abiAddress })
const empty: Hex = hexFromBytes(new Uint8Array(0))

/** Converts a router's address to its 20-byte EVM account, and back. */
export interface RouterAccounts {
  readonly toAccount: (router: string) => Result.Result<Address, InvalidAddress>
  readonly ofAccount: (account: Address) => Result.Result<Address, InvalidAddress>
}

interface RoutedFamily {
  readonly name: FamilyName
  readonly routers?: RouterAccounts
}

/** The extra data that names a router, empty without one. A router in a family without routers is an error. */
export const encodeExtraData = (
  { name, routers }: RoutedFamily,
  router: Address | undefined
): Result.Result<Hex, InvalidAbi | InvalidAddress> => {
  if (router === undefined) return Result.succeed(empty)
  if (routers === undefined) return Result.fail(new InvalidAbi({ reason: `${name} has no router` }))
  return Result.flatMap(routers.toAccount(router), (account) => encodeAbi(shape, { router: account }))
}

/** The router named in the extra data, `undefined` for none. */
export const decodeExtraData = (
  { name, routers }: RoutedFamily,
  extraData: Hex
): Result.Result<Address | undefined, InvalidAbi | InvalidAddress> => {
  if (extraData === empty) return Result.succeed(undefined)
  if (routers === undefined) return Result.fail(new InvalidAbi({ reason: `${name} has no extra data` }))
  return Result.flatMap(decodeAbi(shape, extraData), ({ router }) => routers.ofAccount(router))
}
