/**
 * What the operator paid to submit the permit behind a deposit: a refund of the deposit pays for it. Zero when the user
 * or somebody else has sent the transaction.
 */
import * as Effect from "effect/Effect"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import type { RefundedTransfer } from "../../domain/transfer/refund/RefundedTransfer.ts"
import { pollInterval } from "../polling/PollInterval.ts"

/**
 * How many polls to wait: a deposit may be seen before its submission is recorded. Then no refund waits for the amount.
 */
const LOOKS = 20

/** Smallest units of the native currency of the deposit's chain. */
export const submissionGas = Effect.fnUntraced(
  function*(chain: Chain, { orderId, terms }: RefundedTransfer, { transactionId }: Deposit) {
    if (terms.permit === undefined) return 0n
    const submissions = yield* PermitSubmissions
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const paid = yield* submissions.gasPaid(orderId, transactionId)
      if (paid !== "unknown") return paid ?? 0n
      yield* Effect.sleep(pollInterval(chain))
    }
    return 0n
  }
)
