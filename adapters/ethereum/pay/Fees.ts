/** Fees per gas of a chain now, and bounds on the gas of a payment. */
import type { PublicClient } from "viem"
import { minOf } from "../../../src/domain/money/Rounding.ts"

export interface FeesPerGas {
  /** The tip plus twice the base fee of the newest block, so that one full block cannot price the transaction out. */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** What a transaction in the next blocks will probably pay. */
  readonly expectedFeePerGas: bigint
  /** What all transactions of a block may take together. */
  readonly blockGasLimit: bigint
  readonly height: bigint
}

export const readFees = async (client: PublicClient): Promise<FeesPerGas> => {
  const [block, tip] = await Promise.all([client.getBlock(), client.estimateMaxPriorityFeePerGas()])
  const base = block.baseFeePerGas ?? 0n
  return {
    maxFeePerGas: base * 2n + tip,
    maxPriorityFeePerGas: tip,
    // One more full block raises the base fee by an eighth.
    expectedFeePerGas: (base * 9n) / 8n + tip,
    blockGasLimit: block.gasLimit,
    height: block.number
  }
}

/**
 * The most gas that a plain payment may take. A native payment runs the recipient's code: without a bound, the caller
 * who chooses the recipient would choose what the solver pays.
 */
export const PLAIN_PAYMENT_GAS = 150_000n

/**
 * The same for a payment with a gas topup: token and native currency, through vault and router (contracts/README.md).
 */
export const TOPUP_GAS = 250_000n

/** Gas of a payment through the vault apart from the calls themselves: vault, router, a new executor, leftovers. */
export const VAULT_GAS = 600_000n

/** Gas that each EIP-7702 authorization adds to a transaction, with a margin: 25,000 before any refund. */
export const AUTHORIZATION_GAS = 32_000n

/**
 * The most gas that a transaction may offer, 2^24 (EIP-7825). SECURITY: nodes try a call with more, and take no
 * transaction with more. One that was signed would hold up every payment behind its nonce for ever.
 */
export const TRANSACTION_GAS = 16_777_216n

/** What a fill may take of that besides its calls: vault, router and its authorizations. */
const AROUND_CALLS_GAS = 1_000_000n

/**
 * The most gas for a request's calls, whatever the request allows them: a quarter of a block, and what a transaction may
 * offer (REQUEST-29).
 */
export const callsCeiling = (blockGasLimit: bigint): bigint =>
  minOf(blockGasLimit / 4n, TRANSACTION_GAS - AROUND_CALLS_GAS)

/** A margin above an estimate, for state that changes between estimate and block. */
export const withMargin = (gas: bigint): bigint => (gas * 12n) / 10n
