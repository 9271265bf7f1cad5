/**
 * How much gas a signed transaction may keep at a higher fee, when its maximum cost must not rise.
 *
 * With less gas than its calls need it reverts completely. It then still uses its nonce, and the transactions behind it
 * can proceed.
 */
import { size } from "viem"
import type { Hex } from "viem"

/**
 * The least gas with which a block accepts a transaction: each byte of calldata at its highest price (EIP-7623), each
 * authorization (EIP-7702).
 */
const INTRINSIC = { transaction: 21_000n, byte: 40n, authorization: 25_000n }

interface Transaction {
  readonly gas?: bigint | undefined
  readonly maxFeePerGas?: bigint | undefined
  readonly data?: Hex | undefined
  readonly authorizationList?: ReadonlyArray<unknown> | undefined
}

/** Undefined when no block would accept the transaction with that little gas. */
export const gasWithin = (
  { authorizationList = [], data = "0x", gas = 0n, maxFeePerGas = 0n }: Transaction,
  newFeePerGas: bigint
): bigint | undefined => {
  const affordable = newFeePerGas <= maxFeePerGas ? gas : (gas * maxFeePerGas) / newFeePerGas
  const least = INTRINSIC.transaction + INTRINSIC.byte * BigInt(size(data)) +
    INTRINSIC.authorization * BigInt(authorizationList.length)
  return affordable < least ? undefined : affordable
}
