/** The amount of a refund (REFUND-2, REFUND-5): the deposit less gas, as far as the order allows. */
import * as Effect from "effect/Effect"
import { Due } from "../../../../ports/chain/Due.ts"
import { Gas } from "../../../../ports/chain/Gas.ts"
import type { PlainPayment } from "../../../../ports/chain/PaymentKinds.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { convertCeil } from "../../../domain/money/Currency.ts"
import { refundAmount } from "../../../domain/transfer/refund/RefundPlan.ts"

/**
 * What a refund of the payment's amount would pay now, smallest units of its currency. Zero when it is not worth its
 * gas. `came`: a deposit that was swept in order to be refunded also pays for the sweep. `spent`: other gas that the
 * deposit has cost the operator, smallest units of the native currency. Of that, `rent` stays with the recipient, in an
 * account that the refund opens; `given` is the same in the refund's currency. `codeUnits`: the gas or energy of native
 * currency, which runs its recipient's code.
 */
export const priceRefund = Effect.fnUntraced(
  function*(payment: PlainPayment, came: "sent" | "swept", spent: bigint) {
    const gas = yield* Gas
    const prices = yield* Prices
    const { chain } = payment
    const [cost, { least, rent }, codeUnits, sweep, native, currency] = yield* Effect.all([
      gas.ofPayment(payment),
      gas.opening(payment),
      payment.currency.isNative ? gas.unitsOf(payment) : Effect.undefined,
      came === "swept" ? gas.ofSweep(chain, payment.currency) : Effect.succeed(0n),
      prices.priceOf(chain.native),
      prices.priceOf(payment.currency)
    ], { concurrency: "unbounded" })
    const left = refundAmount(payment.amount, convertCeil(cost + rent + sweep + spent, native, currency))
    // The chain would not keep a smaller balance.
    return { net: left < least ? 0n : left, least, rent, codeUnits, given: convertCeil(rent, native, currency) }
  },
  Effect.catchTag("PaymentRefused", () => Effect.succeed("refused" as const)),
  Effect.provideService(Due, true)
)

export type PricedRefund = Exclude<Effect.Success<ReturnType<typeof priceRefund>>, "refused">
