/** What a deposit that was just seen will take of the inventory, if it is filled (PRICE-22). */
import type { Deposit } from "../deposit/Deposit.ts"
import { judge } from "../deposit/Judgement.ts"
import { leastDeposit } from "../Transfer.ts"
import type { Transfer } from "../Transfer.ts"

/**
 * Smallest units of the destination currency; undefined for what will go back, or is less than was quoted: nobody
 * reserves inventory with dust.
 */
export const promisedPayment = (transfer: Transfer, deposit: Deposit): bigint | undefined =>
  judge(transfer, deposit, "first")._tag === "Refund" || deposit.amount < leastDeposit(transfer.terms)
    ? undefined
    : transfer.terms.amountOut
