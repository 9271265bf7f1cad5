/**
 * Replaces a stuck payment by the same payment at a higher fee, or without authorizations that nodes refuse. The
 * replacement is signed and stored here, and broadcast by its payer.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { mayNeedReplacement, replacementBounds } from "../../../domain/transfer/payment/ReplacePayment.ts"
import { countReplacement } from "../../operations/Meters.ts"
import { Policy } from "../../operations/Policy.ts"
import type { IsBorne } from "../DuePayment.ts"
import { sameForms } from "../../../domain/transfer/payment/SameForms.ts"

/**
 * `lastIncluded`: when it was last seen in a block, in milliseconds; zero when never. SECURITY: when nobody covers the
 * higher fee, the replacement has less gas, so that its highest cost stays the same. It is executed or reverts, and
 * blocks nothing behind it.
 */
export const replaceWhenStuck = <R>(
  chain: Chain,
  payment: StoredPayment,
  lastIncluded: number,
  isBorne: IsBorne<R> = () => Effect.succeed(true)
) =>
  Effect.gen(function*() {
    const { outcome, replacing } = yield* Treasury
    const payments = yield* Payments
    const { feeCeilingFactor } = yield* Policy
    const by = replacing(chain)
    if (by === undefined) return "waits"
    const bounds = replacementBounds(chain.blockTimeMs, feeCeilingFactor)
    const [first, ...others] = payment.variants
    const newest = others.at(-1) ?? first
    const since = Math.max(newest.signedAt, lastIncluded)
    const now = yield* Clock.currentTimeMillis
    if (!mayNeedReplacement({ since }, bounds, now)) return "waits"
    const judged = yield* by.judge(chain, { ...payment, since }, bounds, now)
    if (judged._tag === "Wait") return "waits"
    // One endpoint may hide the payment: only the quorum says that no block has it.
    const { _tag: stands } = yield* outcome(chain, payment.variants, "quorum")
    if (stands !== "Pending" && stands !== "Unseen") return "waits"
    if (judged._tag === "Exhausted") return "exhausted"
    const wanted = yield* judged.whole
    const replacement = (yield* isBorne(wanted, "replacement")) ? wanted : yield* judged.within
    if (replacement === undefined) return "exhausted"
    const kept = yield* payments.replace(payment, replacement, now)
    if (kept === undefined || sameForms(kept, payment)) return "waits"
    yield* countReplacement(chain.slug)
    yield* Effect.logWarning(
      `a payment on ${chain.slug} is not included in a block and is replaced at a higher fee (${payment.transactionId})`
    )
    return "replaced"
  }).pipe(Effect.catchTag("PaymentRefused", () => Effect.succeed("unfunded" as const)))

/**
 * A payment that nodes refuse for its authorizations blocks everything behind its sequence, and anybody can sign such
 * authorizations. So the payment is made without them, as the chain would execute it when they are invalid. The fees
 * stay the same: a node that did accept the first calls this one underpriced, and `replaceWhenStuck` raises the fee.
 */
export const replaceUnauthorized = Effect.fnUntraced(function*(chain: Chain, payment: StoredPayment) {
  const { replacing } = yield* Treasury
  const payments = yield* Payments
  const by = replacing(chain)
  if (by === undefined) return
  const newest = payment.variants.at(-1) ?? payment.variants[0]
  const replacement = yield* by.withoutAuthorizations(chain, newest)
  yield* payments.replace(payment, replacement, yield* Clock.currentTimeMillis)
  yield* Effect.logWarning(
    `a payment on ${chain.slug} is made without the authorizations that it carried, which nodes do not accept (${payment.transactionId})`
  )
}, Effect.catchTag("PaymentRefused", () => Effect.void))
