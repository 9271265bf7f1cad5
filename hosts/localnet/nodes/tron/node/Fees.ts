/**
 * The price list of the local Tron chain: what a transaction burns of its owner's TRX. The prices are those of the public
 * chain in autumn 2025.
 *
 * Energy is the gas that the EVM uses for a call, without the gas of the transaction itself. Nobody has staked, and
 * nobody has bandwidth for free. An account without TRX and code counts as new, also one that had TRX before.
 */
import type { EvmAddress } from "./Account.ts"
import { evmAddress } from "./Account.ts"
import type { Evm } from "./Evm.ts"
import type { Transaction } from "./Transaction.ts"

/** In sun. */
export const prices = {
  /** A unit of energy. */
  energy: 100,
  /** A byte. */
  bandwidth: 1_000,
  memo: 1_000_000,
  /** A transfer to a new account: both, in place of bandwidth. */
  createAccount: 100_000,
  createAccountInContract: 1_000_000
} as const

/** The greatest `fee_limit`. */
export const MOST_FEE_LIMIT = 15_000_000_000

const varintLength = (value: number): number => value < 0x80 ? 1 : 1 + varintLength(Math.floor(value / 0x80))

/** The bytes of the signed transaction, and 64 for its result. */
export const bandwidthOf = ({ raw_data_hex }: Pick<Transaction, "raw_data_hex">): number => {
  const raw = raw_data_hex.length / 2
  return 1 + varintLength(raw) + raw + 67 + 64
}

/** The gas of a transaction before its call runs, which is no energy. */
export const intrinsicGas = (data: string): number =>
  (data.slice(2).match(/../gu) ?? []).reduce((gas, byte) => gas + (byte === "00" ? 4 : 16), 21_000)

export const isNew = async (evm: Evm, account: EvmAddress, height: number): Promise<boolean> =>
  await evm.balance(account, height) === 0n && await evm.code(account, height) === "0x"

/** The recipient, for a transfer of TRX. */
export const recipientOf = ({ raw_data: { contract: [{ parameter: { value } }] } }: Transaction) =>
  "to_address" in value ? evmAddress(value.to_address) : undefined

/** Sun that are burnt before the transaction is executed. */
export const feeBefore = (transaction: Transaction, createsRecipient: boolean): bigint =>
  BigInt(
    (createsRecipient
      ? prices.createAccount + prices.createAccountInContract
      : bandwidthOf(transaction) * prices.bandwidth) +
      (transaction.raw_data.data === undefined ? 0 : prices.memo)
  )

/** The energy that the rest of the owner's TRX and the `fee_limit` pay for. */
export const energyLimit = ({ raw_data: { fee_limit = 0 } }: Transaction, left: bigint): number =>
  Math.floor(Math.min(fee_limit, Number(left)) / prices.energy)
