/** Payments signed again at another fee, under their own sequence. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { PaymentRefused } from "../../../../ports/chain/Treasury.ts"
import { inTime } from "../../../../ports/signing/InTime.ts"
import { SignerUnavailable } from "../../../../ports/signing/SignerUnavailable.ts"
import type { PaymentCost, PreparedReplacement } from "../../../../ports/chain/Treasury.ts"
import { Address, CurrencyAddress } from "../../../../src/domain/chain/Address.ts"
import type { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import { UintText } from "../../engine/Columns.ts"
import { writeTogether } from "../../WriteTogether.ts"
import { storeCall } from "../../StoreCall.ts"
import { unsigned } from "./Unsigned.ts"
import { paymentReader } from "./PaymentRows.ts"
import { accountSequences } from "./AccountSequences.ts"
import { paymentClaims } from "./PaymentClaims.ts"
import { paymentVariants } from "./PaymentVariants.ts"
import { sameForms } from "../../../../src/domain/transfer/payment/SameForms.ts"

const decodeHolderCosts = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ holder: Address, currency: CurrencyAddress, amount: UintText }))
)

export const replacedPayments = (sql: SqlClient.SqlClient) => {
  const { read } = paymentReader(sql)
  const { lockSequence } = accountSequences(sql)
  const { addCosts, addVariant, isCovered } = paymentVariants(sql)
  const { isClaimed } = paymentClaims(sql)

  const costsOf = (transactionId: TransactionId) =>
    Effect.flatMap(
      sql`SELECT holder, currency, amount FROM payment_costs WHERE transaction_id = ${transactionId}`,
      decodeHolderCosts
    )

  const replaceIn = (
    payment: StoredPayment,
    { extra, sign, undoes }: PreparedReplacement,
    at: number
  ) =>
    sql.withTransaction(Effect.gen(function*() {
      const { leg, orderId } = payment
      // The row is held until the end: of two that replace at once, the second finds what the first has signed.
      yield* sql`UPDATE payments SET state = state WHERE order_id = ${orderId} AND leg = ${leg}`
      const now = yield* read(orderId, leg)
      const newest = now?.variants.at(-1)
      if (
        now === undefined || newest === undefined || !sameForms(now, payment) || now.state === "reverted"
      ) return now
      yield* lockSequence(now.chainId, now.account, now.sequence)
      // Under the account's lock: whoever claims some of it has signed before, or will see the replacement.
      if (undoes !== undefined && (yield* isClaimed(now.chainId, undoes))) return now
      const isRaised = ({ currency, holder }: Pick<PaymentCost, "currency" | "holder">) =>
        currency === extra.currency && holder === extra.holder
      const costs = (yield* costsOf(newest.transactionId)).map((cost) =>
        isRaised(cost) ? { ...cost, amount: cost.amount + extra.amount } : cost
      )
      // What was in a block and is not any more is not among what is committed: all of it has to be covered again.
      const needed = now.state === "included" ? costs.find(isRaised)?.amount ?? extra.amount : extra.amount
      if (undoes === undefined && !(yield* isCovered(now.chainId, { ...extra, amount: needed }))) return "refused"
      const signed = yield* inTime(sign)
      yield* writeTogether(sql, [
        addVariant(now, now.variants.length, signed, at),
        ...addCosts(signed.transactionId, costs),
        sql`UPDATE payments SET transaction_id = ${signed.transactionId}, raw = ${signed.raw}, state = 'signed', block = NULL, gas_paid = NULL
          WHERE order_id = ${orderId} AND leg = ${leg}`
      ])
      return yield* read(orderId, leg)
    })).pipe(unsigned, storeCall("Payments.replace"))

  const replace: Payments["Service"]["replace"] = Effect.fnUntraced(function*(payment, replacement, at) {
    const kept = yield* replaceIn(payment, replacement, at)
    if (kept === "refused") return yield* new PaymentRefused({ reason: "insufficient-funds" })
    return kept instanceof SignerUnavailable ? yield* kept : kept
  })

  return { replace }
}
