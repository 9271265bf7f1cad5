/**
 * How much gas a signed transaction may keep at a higher fee without being able to cost more than it can now.
 *
 * With less gas than its calls need it reverts as a whole: its nonce is used, and what waits behind it goes on.
 */
import { size } from "viem"
import type { Hex } from "viem"

/**
 * What a block takes a transaction for at least: each byte of calldata at its highest price (EIP-7623), each
 * authorization (EIP-7702).
 */
const INTRINSIC = { transaction: 21_000n, byte: 40n, authorization: 25_000n }

interface Transaction {
  readonly gas?: bigint | undefined
  readonly maxFeePerGas?: bigint | undefined
  readonly data?: Hex | undefined
  readonly authorizationList?: ReadonlyArray<unknown> | undefined
}

/** Undefined where that is less than any block takes it for. */
export const gasWithin = (
  { authorizationList = [], data = "0x", gas = 0n, maxFeePerGas = 0n }: Transaction,
  newFeePerGas: bigint
): bigint | undefined => {
  const affordable = newFeePerGas <= maxFeePerGas ? gas : (gas * maxFeePerGas) / newFeePerGas
  const least = INTRINSIC.transaction + INTRINSIC.byte * BigInt(size(data)) +
    INTRINSIC.authorization * BigInt(authorizationList.length)
  return affordable < least ? undefined : affordable
}
