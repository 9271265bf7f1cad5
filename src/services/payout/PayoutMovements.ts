/** The ledger movements of a payout: reserved when accepted, then paid or returned. */
import type * as Result from "effect/Result"
import type { NewPayout } from "../../../ports/store/ledger/Payouts.ts"
import type { LedgerRefused } from "../../domain/ledger/LedgerRefused.ts"
import { payoutMovementId, signedMovementId } from "../../domain/ledger/LedgerIds.ts"
import { claim, paidOut, returnPayout, withdraw } from "../../domain/ledger/Movements.ts"
import type { Transaction } from "../../domain/ledger/Transaction.ts"

type Made = Result.Result<Transaction, LedgerRefused>

const of = ({ amount, currency, id, wallet }: NewPayout) => ({ payout: id, currency, wallet, units: amount })

/** Takes it from app fees or balance. */
export const setAside = (payout: NewPayout): Made => {
  const id = signedMovementId(payout.kind, payout.wallet, payout.nonce)
  return payout.kind === "claim" ? claim({ ...of(payout), id }) : withdraw({ ...of(payout), id })
}

/** Ends a round of a payout: paid, or returned because it can never be paid. */
export const ending = (payout: NewPayout, round: number, state: "paid" | "returned"): Made => {
  const id = payoutMovementId(state, payout.id, round)
  return state === "paid" ? paidOut({ ...of(payout), id }) : returnPayout({ ...of(payout), id, kind: payout.kind })
}
