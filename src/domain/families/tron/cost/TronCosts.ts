/**
 * What transactions cost on tron-vm (TRON-4). Pure.
 *
 * An account may have staked for energy and bandwidth, and every account has some bandwidth a day for free. None of that
 * counts here: it may be used up when the transaction is executed.
 */

/** Of a chain, in sun. */
export interface TronPrices {
  /** For a unit of energy. */
  readonly energy: bigint
  /** For a byte of bandwidth. */
  readonly bandwidth: bigint
  /** For a transaction with a memo. */
  readonly memo: bigint
  /** For a transfer of TRX that creates its recipient, in place of bandwidth: both of the chain's fees together. */
  readonly newAccount: bigint
  /** The most that a transaction may offer as `fee_limit`. */
  readonly mostFeeLimit: bigint
}

/** The field of the raw data in a transaction: a tag and the length, which takes two bytes from 128 on. */
const RAW_DATA_HEAD = 3
/** A signature of 65 bytes with its tag and length. Accounts here have one key. */
const SIGNATURE = 67
/** Nodes count the result, which they add, with its greatest size. */
const RESULT = 64

/** Bytes that a transaction is charged for, by the length of its raw data. */
export const bandwidthOf = (rawData: number): bigint => BigInt(RAW_DATA_HEAD + rawData + SIGNATURE + RESULT)

/** With a fifth of room for energy, of which the same call may take more in a later block. */
export const energyWithRoom = (energy: bigint): bigint => (energy * 6n + 4n) / 5n

/**
 * The most energy that a payment of TRX to a contract may offer, with its room: it runs the recipient's code, and
 * without a bound the caller who chooses the recipient would choose what the solver burns (TRON-23). EVM chains allow
 * 150,000 gas, of which 21,000 are no energy.
 */
export const PLAIN_CALL_ENERGY = 100_000n

/** Sun that a call of a contract costs at most. */
export const callCost = (prices: TronPrices, energy: bigint, rawData: number): bigint =>
  energy * prices.energy + bandwidthOf(rawData) * prices.bandwidth

/** Sun that a transfer of TRX costs at most. */
export const transferCost = (
  prices: TronPrices,
  rawData: number,
  { createsRecipient, hasMemo }: { readonly createsRecipient: boolean; readonly hasMemo: boolean }
): bigint =>
  (createsRecipient ? prices.newAccount : bandwidthOf(rawData) * prices.bandwidth) + (hasMemo ? prices.memo : 0n)
