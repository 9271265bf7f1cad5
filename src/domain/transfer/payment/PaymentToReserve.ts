/** How much inventory a newly seen deposit will take if it is filled (PRICE-22). */
import type { Deposit } from "../deposit/Deposit.ts"
import { judge } from "../deposit/Judgement.ts"
import { leastDeposit } from "../Transfer.ts"
import type { Transfer } from "../Transfer.ts"

/**
 * Smallest units of the destination currency; undefined for a deposit that will be refunded or is below the quoted
 * amount, so that dust cannot reserve inventory.
 */
export const paymentToReserve = (transfer: Transfer, deposit: Deposit): bigint | undefined =>
  judge(transfer, deposit, "first")._tag === "Refund" || deposit.amount < leastDeposit(transfer.terms)
    ? undefined
    : transfer.terms.amountOut
