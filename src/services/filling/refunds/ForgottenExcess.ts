/**
 * What a restored store has found as the refund of a deposit that nobody knew, and that was the excess of this one: a
 * reorg had dropped the deposit, and the store had forgotten what was paid for it (RESTORE-3).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../../ports/store/orders/TransferHistory.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { couldBeExcess } from "../../../domain/transfer/refund/ForgottenRefund.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"

/** `excess`: what is owed. The excess that was paid, which is this deposit's from now on; its booked loss is recovered. Undefined: there is none. */
export const takeForgottenExcess = Effect.fnUntraced(function*(
  transfer: RefundedTransfer,
  deposit: Deposit,
  excess: bigint
) {
  const deposits = yield* Deposits
  const history = yield* TransferHistory
  const payments = yield* Payments
  const { orderId } = transfer
  for (const refund of yield* payments.unfinishedRefunds(orderId)) {
    if ((yield* deposits.find(refund.deposit)) !== undefined) continue
    const [paid] = yield* history.paymentsOf(orderId, [refund.leg])
    if (paid === undefined || !couldBeExcess(transfer, paid, deposit, excess)) continue
    yield* payments.handOver(refund, deposit.onchainId, yield* Clock.currentTimeMillis, "excess")
    const taken = yield* payments.find(orderId, `excess:${deposit.onchainId}`)
    if (taken === undefined) continue
    yield* Effect.logWarning(
      `a payment that was found after the backup and whose deposit was not known (${taken.transactionId}) is the excess of ${deposit.transactionId}`
    )
    return taken
  }
  return undefined
})
