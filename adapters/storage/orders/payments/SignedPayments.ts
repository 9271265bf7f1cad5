/** Payments are signed once: sequence, costs and bytes in one transaction. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { PaymentsHeld } from "../../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose, StoredPayment, Payments } from "../../../../ports/store/orders/Payments.ts"
import { inTime } from "../../../../ports/signing/InTime.ts"
import { PaymentRefused } from "../../../../ports/chain/Treasury.ts"
import { topupIn } from "../../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import type { PreparedPayment } from "../../../../ports/chain/Treasury.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import type { Deposit } from "../../../../src/domain/transfer/deposit/Deposit.ts"
import { storeCall } from "../../StoreCall.ts"
import { countSigned } from "../../ledger/UnattestedRefunds.ts"
import { exclusivePayments, isDelivery } from "./ExclusivePayments.ts"
import { unsigned } from "./Unsigned.ts"
import { paymentReader, topupText } from "./PaymentRows.ts"
import { accountSequences } from "./AccountSequences.ts"
import { paymentVariants } from "./PaymentVariants.ts"

export const signedPayments = (sql: SqlClient.SqlClient) => {
  const { read } = paymentReader(sql)
  const { readOther, standing } = exclusivePayments(sql)
  const { lockSequence, takeSequence } = accountSequences(sql)
  const { addCosts, addVariant, isCovered } = paymentVariants(sql)

  const isHeld = (chainId: ChainId) =>
    Effect.map(
      sql`SELECT chain_id FROM restorations WHERE chain_id = ${chainId} AND settled_at IS NULL`,
      (rows) => rows.length > 0
    )

  const sign = (
    leg: PaymentPurpose,
    deposit: Deposit["onchainId"],
    payment: Payment,
    prepared: PreparedPayment,
    at: number
  ) =>
    sql.withTransaction(Effect.gen(function*() {
      const existing = (yield* readOther(payment.orderId, leg, deposit)) ?? (yield* read(payment.orderId, leg))
      if (existing !== undefined) return existing
      if (yield* isHeld(payment.chain.id)) return new PaymentsHeld({ chain: payment.chain.slug })
      const sequence = yield* lockSequence(payment.chain.id, prepared.account, prepared.chainSequence)
      // Under the lock of the account, which pays both: two deposits of the order, one with its fill and one with
      // what takes its place, see each other.
      const delivered = isDelivery(leg) ? yield* standing(payment.orderId, leg, deposit) : undefined
      if (delivered !== undefined) return delivered
      // Under the lock of the account's row: two that sign at once see each other's costs.
      const covered = yield* Effect.forEach(prepared.costs, (cost) => isCovered(payment.chain.id, cost))
      if (covered.includes(false)) return new PaymentRefused({ reason: "insufficient-funds" })
      yield* takeSequence(payment.chain.id, prepared.account, sequence)
      const signed = yield* inTime(prepared.sign(sequence))
      yield* sql`INSERT INTO payments ${
        sql.insert({
          order_id: payment.orderId,
          leg,
          deposit,
          chain_id: payment.chain.id,
          account: prepared.account,
          sequence: sequence.toString(),
          recipient: payment.recipient,
          currency: payment.currency.address,
          amount: payment.amount.toString(),
          topup: topupText(topupIn(payment)),
          transaction_id: signed.transactionId,
          raw: signed.raw,
          state: "signed",
          signed_at: at
        })
      }`
      const place = { chainId: payment.chain.id, account: prepared.account, sequence }
      yield* addVariant(place, 0, signed, at)
      yield* countSigned(sql, { ...place, deposit, leg }, at)
      yield* addCosts(signed.transactionId, prepared.costs)
      return {
        ...signed,
        ...place,
        orderId: payment.orderId,
        leg,
        deposit,
        currency: payment.currency.address,
        amount: payment.amount,
        state: "signed",
        variants: [{ ...signed, signedAt: at }]
      } satisfies StoredPayment
    })).pipe(unsigned, storeCall("Payments.signOnce"))

  // A refusal is an answer, not a failure of the store; by now it has taken back the transaction that it came out of.
  const signOnce: Payments["Service"]["signOnce"] = (leg, deposit, payment, prepared, at) =>
    Effect.flatMap(
      sign(leg, deposit, payment, prepared, at),
      (answer) => "_tag" in answer ? Effect.fail(answer) : Effect.succeed(answer)
    )

  const refuseHeld: Payments["Service"]["refuseHeld"] = ({ id, slug }) =>
    Effect.flatMap(
      isHeld(id).pipe(storeCall("Payments.refuseHeld")),
      (held) => held ? Effect.fail(new PaymentsHeld({ chain: slug })) : Effect.void
    )

  return { signOnce, refuseHeld }
}
