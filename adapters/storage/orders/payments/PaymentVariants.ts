/** The variants of payments, what each can cost, and whether a holding covers that. */
import { Array as Arr, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import type { PaymentCost, SignedPayment } from "../../../../ports/chain/Treasury.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import type { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import { UintText } from "../../engine/Columns.ts"

const decodeCosts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ amount: UintText })))

export const paymentVariants = (sql: SqlClient.SqlClient) => {
  const addVariant = (
    { account, chainId, sequence }: Pick<StoredPayment, "account" | "chainId" | "sequence">,
    variant: number,
    { raw, transactionId }: SignedPayment,
    at: number
  ) =>
    sql`INSERT INTO payment_variants ${
      sql.insert({
        transaction_id: transactionId,
        chain_id: chainId,
        account,
        sequence: sequence.toString(),
        variant,
        raw,
        signed_at: at
      })
    }`

  /** One statement, or none where nothing is taken. */
  const addCosts = (
    transactionId: TransactionId,
    costs: ReadonlyArray<Pick<PaymentCost, "amount" | "currency" | "holder">>
  ) =>
    Arr.isReadonlyArrayNonEmpty(costs)
      ? [
        sql`INSERT INTO payment_costs ${
          sql.insert(
            Arr.map(costs, ({ amount, currency, holder }) => ({
              transaction_id: transactionId,
              holder,
              currency,
              amount: amount.toString()
            }))
          )
        }`
      ]
      : []

  /** What payments that are not in a block yet can still take from a holding. */
  const committed = (chainId: ChainId, { currency, holder }: PaymentCost) =>
    sql`SELECT payment_costs.amount FROM payment_costs
        JOIN payments ON payments.transaction_id = payment_costs.transaction_id
        WHERE payments.chain_id = ${chainId} AND payments.state IN ('signed', 'sent')
          AND payment_costs.holder = ${holder} AND payment_costs.currency = ${currency}`.pipe(
      Effect.flatMap(decodeCosts),
      Effect.map((rows) => rows.reduce((sum, row) => sum + row.amount, 0n))
    )

  const isCovered = (chainId: ChainId, cost: PaymentCost) =>
    Effect.map(committed(chainId, cost), (taken) => cost.balance - taken >= cost.amount)

  return { addVariant, addCosts, isCovered }
}
