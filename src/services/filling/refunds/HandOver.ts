/**
 * Gives a payment to another deposit of its order, because the deposit that it was made for is gone (REFUND-6, REFUND-14).
 *
 * SECURITY: that was read from the chain before it is written. A process may have been suspended in between for longer
 * than the chain needs for finality, and a scan passes by a deposit that is recorded as paid. So the former deposit is
 * read once more after it is written that it is gone: where it is back, it is recorded as a second deposit of the order.
 * What comes back later is found by a scan, as any deposit that was gone. A process may end before that look. So whoever
 * goes on with a signed payment reads all deposits of its order that are recorded as gone (`noteThoseBack`).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../../ports/store/orders/TransferHistory.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { precedenceOf } from "../../../domain/transfer/deposit/Precedence.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { retryForever } from "../../polling/RetryForever.ts"
import { recordedStanding } from "../RecordedStanding.ts"

/** Records the deposit as a scan would, if it is in a block. */
const noteIfBack = Effect.fnUntraced(
  function*(chain: Chain, transfer: Pick<RefundedTransfer, "terms">, former: Deposit) {
    const standing = yield* recordedStanding(chain, former, "quorum")
    if (standing._tag === "Gone") return
    const deposit = standing._tag === "Misreported" ? standing.shown : { ...former, block: standing.block }
    const deposits = yield* Deposits
    const seen = yield* deposits.note(
      [{ deposit, precedence: precedenceOf(transfer, deposit) }],
      yield* Clock.currentTimeMillis
    )
    if (seen.length > 0) {
      yield* Effect.logWarning(
        `a deposit on ${chain.slug} whose payment another one has taken over is back (${former.transactionId}): it is a second deposit of its order`
      )
    }
  }
)

/** Reads the deposits of an order that are recorded as gone. One that is in a block is recorded, as a second deposit. */
export const noteThoseBack = Effect.fnUntraced(
  function*(chain: Chain, transfer: Pick<RefundedTransfer, "orderId" | "terms">) {
    const history = yield* TransferHistory
    for (const former of yield* history.goneDeposits(transfer.orderId)) {
      if (former.chainId === chain.id) yield* noteIfBack(chain, transfer, former)
    }
  }
)

/** `former`: undefined where the store knows no deposit of the payment. True when the loss of one had been booked. */
export const handOver = Effect.fnUntraced(
  function*(
    chain: Chain,
    transfer: Pick<RefundedTransfer, "terms">,
    payment: StoredPayment,
    former: Deposit | undefined,
    to: Deposit
  ) {
    const payments = yield* Payments
    const isRecovered = yield* payments.handOver(payment, to.onchainId, yield* Clock.currentTimeMillis)
    if (former !== undefined) yield* noteIfBack(chain, transfer, former).pipe(retryForever("decide"))
    return isRecovered
  }
)
