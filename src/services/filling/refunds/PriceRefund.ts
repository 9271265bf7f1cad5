/** What giving back a deposit pays: less the gas of it, as far as the order allows. */
import * as Effect from "effect/Effect"
import { Gas } from "../../../../ports/chain/Gas.ts"
import type { PlainPayment } from "../../../../ports/chain/PaymentKinds.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { convertCeil } from "../../../domain/money/Currency.ts"
import { refundAmount } from "../../../domain/transfer/refund/RefundPlan.ts"

/**
 * What giving back the payment's amount would pay now, in smallest units of its currency; zero when it is not worth its
 * gas. `came`: what was swept to be given back bears the sweep, which nobody else pays. `spent`: gas that the deposit
 * has cost the operator besides, smallest units of the native currency.
 */
export const priceRefund = Effect.fnUntraced(function*(payment: PlainPayment, came: "sent" | "swept", spent: bigint) {
  const gas = yield* Gas
  const prices = yield* Prices
  const { chain } = payment
  const [cost, { least, rent }, sweep, native, currency] = yield* Effect.all([
    gas.ofPayment(payment),
    gas.opening(payment),
    came === "swept" ? gas.ofSweep(chain, payment.currency) : Effect.succeed(0n),
    prices.priceOf(chain.native),
    prices.priceOf(payment.currency)
  ], { concurrency: "unbounded" })
  const left = refundAmount(payment.amount, convertCeil(cost + rent + sweep + spent, native, currency))
  // The chain would not keep it.
  return { net: left < least ? 0n : left, least }
}, Effect.catchTag("PaymentRefused", () => Effect.succeed("refused" as const)))
