/** The amount of a refund (REFUND-2, REFUND-5): the deposit less gas, as far as the order allows. */
import * as Effect from "effect/Effect"
import { CostsBy } from "../../../../ports/chain/CostsBy.ts"
import { Due } from "../../../../ports/chain/Due.ts"
import { Gas } from "../../../../ports/chain/Gas.ts"
import type { PlainPayment } from "../../../../ports/chain/PaymentKinds.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { convertCeil } from "../../../domain/money/Currency.ts"
import { maxOf } from "../../../domain/money/Rounding.ts"
import { refundAmount } from "../../../domain/transfer/refund/RefundPlan.ts"

/** Costs of more than this part of a deposit are those that the quorum tells. */
const DEAR = 10n

/** What a refund costs in the chain's native currency, and its sweep. */
const costOf = Effect.fnUntraced(function*(payment: PlainPayment, came: "sent" | "swept") {
  const gas = yield* Gas
  const costs = yield* Effect.all([
    gas.ofPayment(payment),
    came === "swept" ? gas.ofSweep(payment.chain, payment.currency) : Effect.succeed(0n)
  ], { concurrency: "unbounded" })
  return costs[0] + costs[1]
})

/**
 * What a refund of the payment's amount would pay now, smallest units of its currency. Zero when it is not worth its
 * gas. `came`: a deposit that was swept in order to be refunded also pays for the sweep. `spent`: other gas that the
 * deposit has cost the operator, smallest units of the native currency. Of that, `rent` stays with the recipient, in an
 * account that the refund opens; `given` is the same in the refund's currency. `codeUnits`: the gas or energy of native
 * currency, which runs its recipient's code.
 *
 * SECURITY: one endpoint that names a great fee must not keep a deposit. What is not worth its gas ends unpaid, without an
 * alarm (REFUND-18).
 */
export const priceRefund = Effect.fnUntraced(
  function*(payment: PlainPayment, came: "sent" | "swept", spent: bigint) {
    const gas = yield* Gas
    const prices = yield* Prices
    const { chain } = payment
    const [cost, { least, rent }, codeUnits, native, currency] = yield* Effect.all([
      costOf(payment, came),
      gas.opening(payment),
      payment.currency.isNative ? gas.unitsOf(payment) : Effect.undefined,
      prices.priceOf(chain.native),
      prices.priceOf(payment.currency)
    ], { concurrency: "unbounded" })
    const leftOf = (costs: bigint) => refundAmount(payment.amount, convertCeil(costs + rent + spent, native, currency))
    const byOne = leftOf(cost)
    const left = (payment.amount - byOne) * DEAR <= payment.amount
      ? byOne
      : maxOf(byOne, leftOf(yield* Effect.provideService(costOf(payment, came), CostsBy, "quorum")))
    // The chain would not keep a smaller balance.
    return { net: left < least ? 0n : left, least, rent, codeUnits, given: convertCeil(rent, native, currency) }
  },
  Effect.catchTag("PaymentRefused", () => Effect.succeed("refused" as const)),
  Effect.provideService(Due, true)
)

export type PricedRefund = Exclude<Effect.Success<ReturnType<typeof priceRefund>>, "refused">
