/**
 * How much gas a signed transaction may keep at a higher fee, when its maximum cost must not rise.
 *
 * With less gas than its calls need it reverts completely. It then still uses its nonce, and the transactions behind it
 * can proceed.
 */
import { size } from "viem"
import type { Hex } from "viem"

/**
 * The least gas with which a block accepts any transaction: each byte of calldata at its highest price on any chain (40 by
 * EIP-7623, 64 by EIP-7976), each authorization (EIP-7702).
 */
const INTRINSIC = { transaction: 21_000n, byte: 64n, authorization: 25_000n }

/** What of a transaction costs gas before any code runs. */
export interface Carried {
  readonly data?: Hex | undefined
  readonly authorizationList?: ReadonlyArray<unknown> | undefined
}

interface Transaction extends Carried {
  readonly gas?: bigint | undefined
  readonly maxFeePerGas?: bigint | undefined
}

/** What a transaction takes at most before any code runs. A block accepts none with less. */
export const intrinsicGas = ({ authorizationList = [], data = "0x" }: Carried): bigint =>
  INTRINSIC.transaction + INTRINSIC.byte * BigInt(size(data)) +
  INTRINSIC.authorization * BigInt(authorizationList.length)

/**
 * Undefined when no block would accept the transaction with that little gas. `above`: what the chain takes before any code
 * runs beyond `intrinsicGas` (`unitsToBegin`).
 */
export const gasWithin = (
  { gas = 0n, maxFeePerGas = 0n, ...carried }: Transaction,
  newFeePerGas: bigint,
  above = 0n
): bigint | undefined => {
  const affordable = newFeePerGas <= maxFeePerGas ? gas : (gas * maxFeePerGas) / newFeePerGas
  return affordable < intrinsicGas(carried) + above ? undefined : affordable
}
