/** Fees per gas of a chain now, and the bounds of what a payment may take. */
import type { PublicClient } from "viem"

export interface FeesPerGas {
  /**
   * Twice the base fee of the newest block on top of the tip, so that a full block cannot price a transaction out at
   * once.
   */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** What a transaction in the next blocks is expected to pay. */
  readonly expectedFeePerGas: bigint
  /** Of a block: what all its transactions may take together. */
  readonly blockGasLimit: bigint
  readonly height: bigint
}

export const readFees = async (client: PublicClient): Promise<FeesPerGas> => {
  const [block, tip] = await Promise.all([client.getBlock(), client.estimateMaxPriorityFeePerGas()])
  const base = block.baseFeePerGas ?? 0n
  return {
    maxFeePerGas: base * 2n + tip,
    maxPriorityFeePerGas: tip,
    // One full block more raises the base fee by an eighth.
    expectedFeePerGas: (base * 9n) / 8n + tip,
    blockGasLimit: block.gasLimit,
    height: block.number
  }
}

/**
 * The most gas that a plain payment may take. A native payment runs the recipient's code: without a bound, whoever
 * chooses the recipient chooses what the solver pays.
 */
export const PLAIN_PAYMENT_GAS = 150_000n

/** The same of a payment with a gas topup: token and native currency, by vault and router (contracts/README.md). */
export const TOPUP_GAS = 250_000n

/** What a payment through the vault takes beside the calls themselves: vault, router, a new executor, leftovers. */
export const VAULT_GAS = 600_000n

/** What each EIP-7702 authorization adds to a transaction, with room: 25,000 before anything is given back. */
export const AUTHORIZATION_GAS = 32_000n

/** The most that a request's calls may take, whatever they name: a quarter of a block (REQUEST-29). */
export const callsCeiling = (blockGasLimit: bigint): bigint => blockGasLimit / 4n

/** Room above an estimate, for state that changes between estimating and mining. */
export const withMargin = (gas: bigint): bigint => (gas * 12n) / 10n
