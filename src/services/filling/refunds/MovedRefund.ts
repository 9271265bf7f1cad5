/**
 * A refund that was signed for a deposit which a reorg then moved, and with it its id. The refund may still be
 * executed, so it is the refund of the deposit's new place, and no other payment is signed for that (REFUND-6). The
 * same holds for a refund whose deposit a restored store does not know: it is the refund of the deposit that comes back
 * (RESTORE-1).
 */
import * as Effect from "effect/Effect"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../../ports/store/orders/TransferHistory.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { isSameMoney } from "../../../domain/transfer/deposit/SameMoney.ts"
import { couldRefund } from "../../../domain/transfer/refund/ForgottenRefund.ts"
import { planRefund } from "../../../domain/transfer/refund/RefundPlan.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { refundOf } from "./DueRefund.ts"
import { handOver } from "./HandOver.ts"
import { waitUntilKnown } from "../WaitUntilFinal.ts"

/**
 * SECURITY: anybody can deposit under an order. A refund covers only a deposit whose own refund would go to the same
 * recipient.
 */
const couldBeMoved = (transfer: RefundedTransfer, former: Deposit, deposit: Deposit): boolean =>
  former.onchainId !== deposit.onchainId && isSameMoney(former, deposit) &&
  planRefund(transfer, former).recipient === planRefund(transfer, deposit).recipient

/** The refund has no deposit in this store, and could be that of this one. */
const couldBeForgotten = Effect.fnUntraced(
  function*(transfer: RefundedTransfer, { leg, orderId }: StoredPayment, deposit: Deposit) {
    const history = yield* TransferHistory
    const [paid] = yield* history.paymentsOf(orderId, [leg])
    return paid !== undefined && couldRefund(transfer, paid, deposit)
  }
)

/**
 * `taken`: the deposit has the refund of one that is gone, whose booked loss is recovered. `gone`: the deposit itself
 * is. `none`: whatever else was refunded is another deposit. Waits for finality only beside a refund of the same money
 * that has not ended.
 */
export const takeOverRefund = Effect.fnUntraced(function*(chain: Chain, transfer: RefundedTransfer, deposit: Deposit) {
  const payments = yield* Payments
  const deposits = yield* Deposits
  let isKnown = false
  for (const refund of yield* payments.unfinishedRefunds(transfer.orderId)) {
    const former = (yield* deposits.find(refund.deposit))?.deposit
    const isIts = former === undefined
      ? yield* couldBeForgotten(transfer, refund, deposit)
      : couldBeMoved(transfer, { ...former, amount: refund.deposited ?? former.amount }, deposit)
    if (!isIts) continue
    // Once, however many refunds of the same money strangers have caused.
    if (!isKnown && (yield* waitUntilKnown(chain, deposit)) === "gone") return "gone" as const
    isKnown = true
    if (former !== undefined && (yield* waitUntilKnown(chain, former)) === "final") continue
    yield* handOver(chain, transfer, refund, former, deposit)
    // Another deposit of the same money may have taken it since.
    if ((yield* payments.find(transfer.orderId, refundOf(deposit))) === undefined) continue
    yield* Effect.logWarning(
      `the refund of a deposit on ${chain.slug} that is gone (${
        former?.transactionId ?? "forgotten with the backup"
      }) is now the refund of ${deposit.transactionId}`
    )
    return "taken" as const
  }
  return "none" as const
})
