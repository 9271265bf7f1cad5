/**
 * Whether a deposit at an address is its request's first (ADDRESS-11): the first to come of what was quoted, whichever
 * is judged first, because of two the request can only say what became of one.
 */
import type { Deposit } from "../transfer/deposit/Deposit.ts"
import type { Turn } from "../transfer/deposit/Judgement.ts"
import { planRefund } from "../transfer/refund/RefundPlan.ts"
import { isTerminal } from "../transfer/Status.ts"
import type { Transfer } from "../transfer/Transfer.ts"

const cameBefore = (one: Deposit, other: Deposit): boolean =>
  one.block.height === other.block.height ? one.index < other.index : one.block.height < other.block.height

/**
 * `transfer` as it is now; `all` name its order, and none of them is gone. A transfer without an address has no turns.
 */
export const turnOf = (transfer: Transfer, deposit: Deposit, all: ReadonlyArray<Deposit>): Turn => {
  if (transfer.terms.depositAddress === undefined) return "first"
  const decides = (one: Deposit) => planRefund(transfer, one).decides
  // Heights are of one chain: those that decide are all on the quoted one.
  const isLater = decides(deposit) &&
    all.some((one) => one.onchainId !== deposit.onchainId && decides(one) && cameBefore(one, deposit))
  return isLater || isTerminal(transfer.status) ? "again" : "first"
}
