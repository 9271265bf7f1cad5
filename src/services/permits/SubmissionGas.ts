/**
 * What the operator paid to submit the permit behind a deposit: a refund of the deposit pays for it. Zero when the user
 * or somebody else has sent the transaction.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import type { RefundedTransfer } from "../../domain/transfer/refund/RefundedTransfer.ts"
import { found, lookUntil, whenMoved } from "../following/LookUntil.ts"

/** A deposit may be seen before its submission is recorded, by a block or two. Then no refund waits for the amount. */
const patience = ({ blockTimeMs }: Chain): Duration.Duration => Duration.millis(Math.max(5_000, 4 * blockTimeMs))

/** Smallest units of the native currency of the deposit's chain. */
export const submissionGas = Effect.fnUntraced(
  function*(chain: Chain, { orderId, terms }: RefundedTransfer, { transactionId }: Deposit) {
    if (terms.permit === undefined) return 0n
    const submissions = yield* PermitSubmissions
    const look = Effect.map(
      submissions.gasPaid(orderId, transactionId),
      (paid) => paid === "unknown" ? whenMoved : found(paid ?? 0n)
    )
    return yield* lookUntil(chain, () => look).pipe(
      Effect.timeoutOrElse({ duration: patience(chain), orElse: () => Effect.succeed(0n) })
    )
  }
)
