/**
 * Whether a deposit at an address is the first of its request (ADDRESS-11). The first one on chain counts, in whatever
 * order they are judged: a request can show only one result.
 */
import type { Deposit } from "../transfer/deposit/Deposit.ts"
import type { Turn } from "../transfer/deposit/Judgement.ts"
import { planRefund } from "../transfer/refund/RefundPlan.ts"
import { isTerminal } from "../transfer/Status.ts"
import type { Transfer } from "../transfer/Transfer.ts"

const cameBefore = (one: Deposit, other: Deposit): boolean =>
  one.block.height === other.block.height ? one.index < other.index : one.block.height < other.block.height

/**
 * `transfer` in its current state. `all` are the deposits that name its order and still stand. A transfer without an
 * address has no turns.
 */
export const turnOf = (transfer: Transfer, deposit: Deposit, all: ReadonlyArray<Deposit>): Turn => {
  if (transfer.terms.depositAddress === undefined) return "first"
  const decides = (one: Deposit) => planRefund(transfer, one).decides
  // Heights can be compared within one chain only. All deposits that decide are on the quoted chain.
  const isLater = decides(deposit) &&
    all.some((one) => one.onchainId !== deposit.onchainId && decides(one) && cameBefore(one, deposit))
  return isLater || isTerminal(transfer.status) ? "again" : "first"
}
