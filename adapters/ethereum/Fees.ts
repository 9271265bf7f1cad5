/** Fees per gas of a chain now: twice the base fee of the newest block on top of the tip, so that a full block cannot price a transaction out at once. */
import type { PublicClient } from "viem"

export interface FeesPerGas {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

export const readFees = async (client: PublicClient): Promise<FeesPerGas> => {
  const [block, tip] = await Promise.all([client.getBlock(), client.estimateMaxPriorityFeePerGas()])
  return { maxFeePerGas: (block.baseFeePerGas ?? 0n) * 2n + tip, maxPriorityFeePerGas: tip }
}

/**
 * The most gas that a plain payment may take. A native payment runs the recipient's code: without a bound, whoever
 * chooses the recipient chooses what the solver pays.
 */
export const PLAIN_PAYMENT_GAS = 150_000n

/** Room above an estimate, for state that changes between estimating and mining. */
export const withMargin = (gas: bigint): bigint => (gas * 12n) / 10n
