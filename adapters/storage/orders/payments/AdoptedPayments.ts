/** Payments that a chain shows and the store forgot: written down as they are, after a restore. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Payments } from "../../../../ports/store/orders/Payments.ts"
import { storeCall } from "../../StoreCall.ts"
import { countSigned } from "../../ledger/UnattestedRefunds.ts"
import { paymentReader, recordedAmount, topupText } from "./PaymentRows.ts"
import { accountSequences } from "./AccountSequences.ts"
import { paymentVariants } from "./PaymentVariants.ts"

export const adoptedPayments = (sql: SqlClient.SqlClient) => {
  const { read } = paymentReader(sql)
  const { lockSequence, takeSequence } = accountSequences(sql)
  const { addVariant } = paymentVariants(sql)

  const adopt: Payments["Service"]["adopt"] = ({ chainId, deposit, leg, payment, sent }, at) =>
    sql.withTransaction(Effect.gen(function*() {
      const { account } = sent
      // Where its chain does not count, the payment is numbered here like every other.
      const sequence = sent.sequence ?? (yield* lockSequence(chainId, account, 0n))
      yield* sql`INSERT INTO payments ${
        sql.insert({
          order_id: payment.orderId,
          leg,
          deposit,
          chain_id: chainId,
          account,
          sequence: sequence.toString(),
          recipient: payment.recipient,
          currency: payment.currency,
          amount: payment.amount.toString(),
          topup: topupText(payment.topup),
          transaction_id: sent.transactionId,
          raw: sent.raw,
          state: "sent",
          signed_at: at
        })
      } ON CONFLICT (order_id, leg) DO NOTHING`
      const kept = yield* read(payment.orderId, leg)
      if (kept !== undefined) return kept.transactionId === sent.transactionId
      // What it was paid for is known as its deposit is recorded, or not at all.
      yield* sql`UPDATE payments SET deposited = ${recordedAmount(sql, sql`${deposit}`)}
                 WHERE order_id = ${payment.orderId} AND leg = ${leg}`
      if (sent.sequence === undefined) yield* takeSequence(chainId, account, sequence)
      yield* addVariant({ chainId, account, sequence }, 0, sent, at)
      yield* countSigned(sql, { chainId, deposit, leg }, at)
      return true
    })).pipe(storeCall("Payments.adopt"))

  const adoptVariant: Payments["Service"]["adoptVariant"] = ({ chainId, payment, sent }, at) =>
    sent.sequence === undefined ?
      Effect.void :
      sql`INSERT INTO payment_variants (transaction_id, chain_id, account, sequence, variant, raw, signed_at)
        SELECT ${sent.transactionId}, p.chain_id, p.account, p.sequence,
          (SELECT COUNT(*) FROM payment_variants v WHERE v.chain_id = p.chain_id AND v.account = p.account AND v.sequence = p.sequence), ${sent.raw}, CAST(${at} AS BIGINT)
        FROM payments p
        WHERE p.chain_id = ${chainId} AND p.account = ${sent.account} AND p.sequence = ${sent.sequence.toString()} AND p.order_id = ${payment.orderId}
        ON CONFLICT (transaction_id) DO NOTHING`.pipe(Effect.asVoid, storeCall("Payments.adoptVariant"))

  return { adopt, adoptVariant }
}
