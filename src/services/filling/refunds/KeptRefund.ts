/**
 * How a deposit ends whose refund was guarded. The deposit must become final, too: a reorg can take both back and put
 * only the refund into a block again. Then the refund was for nothing, and operators must see the loss.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Losses } from "../../../../ports/store/ledger/Losses.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { countStuck } from "../../operations/Meters.ts"
import { bookGone, recoverWhatCameBack } from "../losses/MissingDeposit.ts"
import { paymentsFor } from "../PaidFor.ts"
import { waitUntilOwnFinal } from "../WaitUntilFinal.ts"
import { refundOf } from "./DueRefund.ts"

const tellGone = Effect.fnUntraced(function*(chain: Chain, transfer: RefundedTransfer, deposit: Deposit) {
  yield* bookGone(transfer, deposit)
  yield* countStuck("filled-deposit-gone")
  yield* Effect.logError(
    `a deposit on ${chain.slug} that was refunded is no longer on the chain (${deposit.transactionId})`
  )
})

/**
 * `gone`: the deposit may come back, and is judged again then. It has its refund still, and its loss is recovered.
 * `unrefundable`: the refund is gone and was not allowed again, or it failed in the block into which a reorg has put it
 * (REFUND-10). An operator may retry it.
 */
export const keptRefund = Effect.fnUntraced(function*(chain: Chain, transfer: RefundedTransfer, deposit: Deposit) {
  const payments = yield* Payments
  const losses = yield* Losses
  const standing = yield* waitUntilOwnFinal(chain, deposit)
  const refund = yield* payments.find(transfer.orderId, refundOf(deposit))
  if (refund?.state === "included" && standing === "final") {
    yield* recoverWhatCameBack(chain, transfer, deposit, yield* paymentsFor(transfer, deposit))
  } else if (refund?.state === "included") {
    yield* losses.recover(deposit.onchainId, ["payment"], yield* Clock.currentTimeMillis)
    yield* tellGone(chain, transfer, deposit)
  }
  if (standing !== "final") return "gone" as const
  return refund === undefined || refund.state === "reverted" ? "unrefundable" as const : "refunded" as const
})
