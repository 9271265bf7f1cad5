/**
 * The loss of a deposit that was paid for and then left its chain, wholly or in part (REFUND-8). It is booked for what
 * the payments were made for and is not there, and recovered once all of that is in a final block again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Losses } from "../../../../ports/store/ledger/Losses.ts"
import type { Loss } from "../../../../ports/store/ledger/Losses.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { missingOf } from "../../../domain/transfer/payment/MissingDeposit.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { countStuck } from "../../operations/Meters.ts"
import { paymentsFor } from "../PaidFor.ts"

type PaidTransfer = Pick<RefundedTransfer, "orderId" | "terms">

const lossOf = (
  { orderId }: PaidTransfer,
  { chainId, currency, onchainId, transactionId }: Deposit,
  amount: bigint
): Loss => ({ kind: "deposit", chainId, orderId, deposit: onchainId, transactionId, currency, amount })

/** What is lost by a deposit that is gone. All that is recorded of it, where it is not known what was paid for. */
export const goneLoss = Effect.fnUntraced(function*(transfer: PaidTransfer, deposit: Deposit) {
  const missing = missingOf(transfer, yield* paymentsFor(transfer, deposit), undefined)
  return lossOf(transfer, deposit, missing === undefined || missing === 0n ? deposit.amount : missing)
})

export const bookGone = Effect.fnUntraced(function*(transfer: PaidTransfer, deposit: Deposit) {
  const losses = yield* Losses
  yield* losses.book(yield* goneLoss(transfer, deposit), yield* Clock.currentTimeMillis)
})

/**
 * For a deposit that is in a final block, as its payment is. `own`: its payments. Losses of these are recovered.
 * SECURITY: of the deposit's own only what came back. Where it is not known what was paid for, a booked loss stays.
 */
export const recoverWhatCameBack = Effect.fnUntraced(
  function*(chain: Chain, transfer: PaidTransfer, deposit: Deposit, own: ReadonlyArray<StoredPayment>) {
    const losses = yield* Losses
    const missing = missingOf(transfer, own, deposit)
    const now = yield* Clock.currentTimeMillis
    yield* losses.recover(deposit.onchainId, missing === 0n ? ["payment", "deposit"] : ["payment"], now)
    if (missing === undefined || missing === 0n) return
    if (!(yield* losses.book(lossOf(transfer, deposit, missing), now))) return
    yield* countStuck("filled-deposit-gone")
    yield* Effect.logError(
      `a deposit on ${chain.slug} that was filled or refunded has come back with ${missing} less than was paid for (${deposit.transactionId}): that stays booked as lost`
    )
  }
)
