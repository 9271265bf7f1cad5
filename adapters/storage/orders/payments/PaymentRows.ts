/** A payment with all of its variants, as it is read. */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { PaymentVariant, StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { Address, CurrencyAddress } from "../../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { Millis, SqlInt, UintText } from "../../engine/Columns.ts"

export const LegColumn = Schema.Union([
  Schema.Literals(["fill", "fallback", "payout", "sweep", "permit", "settlement"]),
  Schema.TemplateLiteral(["refund:", Schema.String]),
  Schema.TemplateLiteral(["excess:", Schema.String])
])

const Row = Schema.Struct({
  order_id: OrderId,
  leg: LegColumn,
  deposit: Hex32,
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  account: Address,
  sequence: UintText,
  currency: CurrencyAddress,
  amount: UintText,
  deposited: Schema.NullOr(UintText),
  transaction_id: TransactionId,
  raw: Schema.String,
  state: Schema.Literals(["signed", "sent", "included", "reverted"]),
  gas_paid: Schema.NullOr(UintText),
  variant_id: TransactionId,
  variant_raw: Schema.String,
  variant_signed_at: Millis
})

/** A payment and its variants, one row for each of them. */
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const toVariant = ({ variant_id, variant_raw, variant_signed_at }: typeof Row.Type): PaymentVariant => ({
  transactionId: variant_id,
  raw: variant_raw,
  signedAt: variant_signed_at
})

const toPayment = ([row, ...others]: ReadonlyArray<typeof Row.Type>): StoredPayment | undefined =>
  row === undefined ? undefined : {
    orderId: row.order_id,
    leg: row.leg,
    deposit: row.deposit,
    chainId: row.chain_id,
    account: row.account,
    sequence: row.sequence,
    currency: row.currency,
    amount: row.amount,
    ...(row.deposited === null ? {} : { deposited: row.deposited }),
    transactionId: row.transaction_id,
    raw: row.raw,
    state: row.state,
    ...(row.gas_paid === null ? {} : { gasPaid: row.gas_paid }),
    variants: [toVariant(row), ...others.map(toVariant)]
  }

/** A row says which chain is held, whether there is a refund, and one variant of a payment unless there is none. */
const decodeStanding = Schema.decodeUnknownEffect(Schema.NonEmptyArray(Schema.Struct({
  held: Schema.NullOr(SqlInt.pipe(Schema.decodeTo(ChainId))),
  refunds: SqlInt,
  order_id: Schema.NullOr(OrderId)
})))

/** The column `topup`: null without a topup, as in rows of earlier versions. */
export const topupText = (topup = 0n): string | null => topup === 0n ? null : topup.toString()

/** What a deposit has by its row. NULL where there is no such deposit. */
export const recordedAmount = (sql: SqlClient.SqlClient, deposit: Statement.Fragment) => {
  const amount = sql.onDialectOrElse({
    pg: () => sql`d.deposit::jsonb ->> 'amount'`,
    orElse: () => sql`json_extract(d.deposit, '$.amount')`
  })
  return sql`(SELECT ${amount} FROM deposits d WHERE d.onchain_id = ${deposit})`
}

export const paymentReader = (sql: SqlClient.SqlClient) => {
  const selected = sql.literal(
    `SELECT p.order_id, p.leg, p.deposit, p.chain_id, p.account, p.sequence, p.currency, p.amount, p.deposited, p.transaction_id, p.raw, p.state, p.gas_paid,
    v.transaction_id AS variant_id, v.raw AS variant_raw, v.signed_at AS variant_signed_at, v.variant
    FROM payments p JOIN payment_variants v ON v.chain_id = p.chain_id AND v.account = p.account AND v.sequence = p.sequence`
  )

  const read = (orderId: OrderId, leg: string) =>
    sql`${selected} WHERE p.order_id = ${orderId} AND p.leg = ${leg} ORDER BY v.variant`.pipe(
      Effect.flatMap(decodeRows),
      Effect.map(toPayment)
    )

  /** The payments of the purposes, the first of the chains whose restoration is open, and whether there is a refund. */
  const readStanding = Effect.fnUntraced(
    function*(orderId: OrderId, legs: ReadonlyArray<string>, chainIds: ReadonlyArray<ChainId>) {
      const rows = yield* sql`SELECT facts.held, facts.refunds, q.* FROM (
            SELECT (SELECT MIN(chain_id) FROM restorations WHERE ${
        sql.in("chain_id", chainIds)
      } AND settled_at IS NULL) AS held, (SELECT COUNT(*) FROM payments
              WHERE order_id = ${orderId} AND leg LIKE 'refund:%' AND state IN ('signed', 'sent', 'included')) AS refunds
          ) AS facts LEFT JOIN (${selected} WHERE p.order_id = ${orderId} AND ${
        sql.in("p.leg", legs)
      }) AS q ON 1 = 1 ORDER BY q.leg, q.variant`
      const [{ held, order_id, refunds }] = yield* decodeStanding(rows)
      const found = order_id === null ? [] : yield* decodeRows(rows)
      const payments = [...Map.groupBy(found, ({ leg }) => leg).values()].flatMap((each) => toPayment(each) ?? [])
      return { held, payments, hasRefund: refunds > 0 }
    }
  )

  return { read, readStanding }
}
