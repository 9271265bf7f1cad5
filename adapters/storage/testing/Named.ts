/** Deposits with equal precedence. */
import type { NamedDeposit } from "../../../ports/store/orders/Deposits.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"

export const named = (deposits: ReadonlyArray<Deposit>): ReadonlyArray<NamedDeposit> =>
  deposits.map((deposit) => ({ deposit, precedence: 0n }))
