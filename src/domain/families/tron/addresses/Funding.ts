/**
 * The solver's transfer of TRX to a deposit address, for the transaction of its sweep (TRON-21). Pure.
 *
 * It has no memo, which would cost as much as the transfer several times over. Its timestamp, which nodes do not look
 * at, tells it from every other transfer of the account: wallets write the current time.
 */
import type { Address } from "../../../chain/Address.ts"
import type { TronTransaction } from "../evidence/TronTransaction.ts"
import type { PaymentBody } from "../payment/PaymentBody.ts"
import type { TransactionLifetime } from "../transaction/RawData.ts"

/** Milliseconds: the year 2004, before there was a chain. */
const BEFORE = 2 ** 40

/** Accounts in EVM form, `amount` in sun. */
export const fundingBody = (owner: Address, to: Address, amount: bigint): PaymentBody => ({
  act: { _tag: "Transfer", owner, to, amount },
  memo: new Uint8Array(0)
})

/** Two of them are never the same bytes: the sequence numbers the account's payments. */
export const fundingTimestamp = (sequence: bigint): number => Number(sequence % BigInt(BEFORE - 1)) + 1

/** True for a transfer that funds a sweep (TRON-21): no memo, and a timestamp that no other transaction has. */
export const isFunding = (
  { act, memo }: Pick<TronTransaction, "act" | "memo">,
  { timestamp }: Pick<TransactionLifetime, "timestamp">
): boolean => act._tag === "Transfer" && memo.length === 0 && timestamp > 0 && timestamp < BEFORE
