/**
 * The actions of an execution on the hub: mint, burn or transfer of a token (EXEC-5).
 *
 * Encoded with abi.encode, the type in the first word. An action has one encoding, so peers' executions can be compared
 * byte for byte.
 */
import * as Result from "effect/Result"
import { abiAddress, abiTuple, abiUint, decodeAbi, encodeAbi, InvalidAbi } from "../encoding/Abi.ts"
import type { Address } from "../chain/Address.ts"
import type { Hex } from "../encoding/Hex.ts"

/** Creates hub tokens in an account. */
export interface Mint {
  readonly _tag: "Mint"
  readonly to: Address
  readonly tokenId: bigint
  readonly amount: bigint
}

/** Removes hub tokens from an account. */
export interface Burn {
  readonly _tag: "Burn"
  readonly from: Address
  readonly tokenId: bigint
  readonly amount: bigint
}

/** Moves hub tokens between accounts. */
export interface Transfer {
  readonly _tag: "Transfer"
  readonly from: Address
  readonly to: Address
  readonly tokenId: bigint
  readonly amount: bigint
}

/** Accounts are canonical accounts of the hub. Amounts are in the token's smallest unit. */
export type Action = Mint | Burn | Transfer

const type = abiUint(8)
const token = { tokenId: abiUint(256), amount: abiUint(256) }
const mintShape = abiTuple({ type, to: abiAddress, ...token })
const burnShape = abiTuple({ type, from: abiAddress, ...token })
const transferShape = abiTuple({ type, from: abiAddress, to: abiAddress, ...token })

/** Fails when an amount does not fit uint256, or an account is not canonical. */
export const encodeAction = (action: Action): Result.Result<Hex, InvalidAbi> => {
  switch (action._tag) {
    case "Mint":
      return encodeAbi(mintShape, { ...action, type: 0n })
    case "Burn":
      return encodeAbi(burnShape, { ...action, type: 1n })
    case "Transfer":
      return encodeAbi(transferShape, { ...action, type: 2n })
  }
}

/** The first word of an encoding: the type of the action. */
const firstWord = (encoded: Hex): string => encoded.slice(2, 66)

const unknownAction = (): Result.Result<Action, InvalidAbi> =>
  Result.fail(new InvalidAbi({ reason: "no known action" }))

/** Decodes an action. Anything but the canonical encoding is an error. */
export const decodeAction = (encoded: Hex): Result.Result<Action, InvalidAbi> => {
  switch (firstWord(encoded).replace(/^0{63}/, "")) {
    case "0":
      return Result.map(
        decodeAbi(mintShape, encoded),
        ({ amount, to, tokenId }) => ({ _tag: "Mint", to, tokenId, amount })
      )
    case "1":
      return Result.map(
        decodeAbi(burnShape, encoded),
        ({ amount, from, tokenId }) => ({ _tag: "Burn", from, tokenId, amount })
      )
    case "2":
      return Result.map(
        decodeAbi(transferShape, encoded),
        ({ amount, from, to, tokenId }) => ({ _tag: "Transfer", from, to, tokenId, amount })
      )
    default:
      return unknownAction()
  }
}
