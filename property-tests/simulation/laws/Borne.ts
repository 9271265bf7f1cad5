/**
 * What the solver bears of refunds on ledgers: of a small deposit the order's minimum lets a refund keep less than its
 * gas (CLAIM-4). Only that difference is the solver's, to the unit. Elsewhere a view counts all fees (`feesOf`).
 */
import type { Books } from "../Books.ts"
import type { ShownTransfer } from "../ChainView.ts"
import { chainIds, halfMicros } from "../Terms.ts"

type Moved = Pick<ShownTransfer, "slug" | "id" | "sender" | "currency" | "amount" | "solverFee">

const worth = ({ amount, currency }: Moved): bigint => amount * halfMicros(currency)

/** Half micro-dollars. `moved`: what blocks show. A sweep's fee is the solver's as well, though its address sends it. */
export const borneOf = (moved: ReadonlyArray<Moved>, { deposits, payments }: Pick<Books, "deposits" | "payments">) => {
  const shown = new Map(moved.map((each) => [`${chainIds[each.slug]} ${each.id}`, each]))
  const came = new Map(deposits.map((deposit) => [`refund:${deposit.onchain_id}`, deposit]))
  return payments.reduce((total, { chain_id, leg, transaction_id }) => {
    const of = came.get(leg)
    const refund = shown.get(`${chain_id} ${transaction_id}`)
    const deposit = of === undefined ? undefined : shown.get(`${of.chain_id} ${of.transaction_id}`)
    if (refund === undefined || deposit === undefined) return total
    const borne = refund.solverFee + deposit.solverFee - (worth(deposit) - worth(refund))
    return borne > 0n ? total + borne : total
  }, 0n)
}
