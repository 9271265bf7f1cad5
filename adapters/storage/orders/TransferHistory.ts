/** The history of transfers in SQL, one text for both engines. */
import { Array as Arr, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { MOST_SHOWN, TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import { StoredBlockRef } from "../../../src/domain/transfer/deposit/StoredBlockRef.ts"
import { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { FailReason } from "../../../src/domain/transfer/FailReason.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { Status } from "../../../src/domain/transfer/Status.ts"
import { JsonText, Millis, SqlInt, UintText } from "../engine/Columns.ts"
import { directRead } from "../engine/DirectReads.ts"
import { DepositStates } from "./DepositStates.ts"
import { storeCall } from "../StoreCall.ts"

const EventRow = Schema.Struct({ sequence: SqlInt, status: Status, fail_reason: Schema.NullOr(FailReason), at: Millis })

const DepositRow = Schema.Struct({
  deposit: JsonText(Deposit),
  state: DepositStates,
  held: SqlInt
})

const PaymentRow = Schema.Struct({
  leg: Schema.Union([
    Schema.Literals(["fill", "fallback"]),
    Schema.TemplateLiteral(["refund:", Schema.String]),
    Schema.TemplateLiteral(["excess:", Schema.String])
  ]),
  deposit: Hex32,
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  transaction_id: TransactionId,
  recipient: Address,
  currency: CurrencyAddress,
  amount: UintText,
  deposited: Schema.NullOr(UintText),
  state: Schema.Literals(["signed", "sent", "included", "reverted"]),
  block: Schema.NullOr(JsonText(StoredBlockRef)),
  gas_paid: Schema.NullOr(UintText)
})

const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(EventRow))
const decodeDeposits = Schema.decodeUnknownEffect(Schema.Array(DepositRow))
const decodeGone = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ deposit: JsonText(Deposit) })))
const decodePayments = Schema.decodeUnknownEffect(Schema.Array(PaymentRow))
/** Requests of one statement. */
const IDS = 1_000

const decodeLast = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ transfer_id: RequestId, sequence: SqlInt }))
)

/** The deposits to show, around their order. Anybody can name an order in thousands of deposits. */
const SHOWN = {
  from: "SELECT onchain_id FROM deposits WHERE deposit_id =",
  order: `AND state <> 'gone'
          ORDER BY CASE state WHEN 'filled' THEN 0 ELSE 1 END, precedence DESC, seen_at, onchain_id LIMIT ${MOST_SHOWN}`
}

const decodeVersions = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ version: Schema.String })))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: RequestId })))

const toPayment = (row: typeof PaymentRow.Type) => ({
  leg: row.leg,
  onchainId: row.deposit,
  chainId: row.chain_id,
  transactionId: row.transaction_id,
  recipient: row.recipient,
  currency: row.currency,
  amount: row.amount,
  ...(row.deposited === null ? {} : { deposited: row.deposited }),
  state: row.state,
  block: row.block,
  gasPaid: row.gas_paid
})

/**
 * Everything that a status shows, of the transfer `t`. What is not here is never written again: terms, order and quote.
 * A deposit that a reorg moved and moved back has another sighting.
 */
const VERSION = `t.status || '|' || COALESCE(t.fail_reason, '') || '|' || t.updated_at
  || '/' || COALESCE((
    SELECT string_agg(d.deposit || '|' || d.state || '|' || d.sighting || '|' || CASE WHEN d.state = 'unrefundable'
        AND EXISTS (SELECT 1 FROM refunds_held h WHERE h.onchain_id = d.onchain_id) THEN 'held' ELSE '' END, ';')
      FROM deposits d WHERE d.onchain_id IN (${SHOWN.from} t.order_id ${SHOWN.order})), '')
  || '/' || COALESCE((
    SELECT string_agg(p.leg || '|' || p.deposit || '|' || p.chain_id || '|' || p.transaction_id || '|' || p.recipient
        || '|' || p.currency || '|' || p.amount || '|' || p.state || '|' || COALESCE(p.block, '')
        || '|' || COALESCE(p.gas_paid, ''), ';')
      FROM payments p WHERE p.order_id = t.order_id AND p.state <> 'void'
        AND (p.leg IN ('fill', 'fallback') OR p.deposit IN (${SHOWN.from} t.order_id ${SHOWN.order}))), '')
  || '/' || COALESCE((
    SELECT s.transaction_id || '|' || COALESCE(s.block, '') FROM sends s
      WHERE s.order_id = t.order_id AND s.transaction_id IS NOT NULL), '')`

export const layer = Layer.effect(
  TransferHistory,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const eventsAfter: TransferHistory["Service"]["eventsAfter"] = (id, sequence) =>
      sql`SELECT sequence, status, fail_reason, at FROM transfer_events
          WHERE transfer_id = ${id} AND sequence > ${sequence} ORDER BY sequence`.pipe(
        Effect.flatMap(decodeEvents),
        Effect.map((rows) => rows.map(({ fail_reason, ...row }) => ({ ...row, failReason: fail_reason }))),
        storeCall("TransferHistory.eventsAfter")
      )

    const lastChanges: TransferHistory["Service"]["lastChanges"] = Effect.fnUntraced(function*(ids) {
      const found = yield* Effect.forEach(
        Arr.chunksOf(ids, IDS),
        (some) =>
          Effect.flatMap(
            sql`SELECT transfer_id, MAX(sequence) AS sequence FROM transfer_events
                WHERE ${sql.in("transfer_id", some)} GROUP BY transfer_id`,
            decodeLast
          )
      )
      return new Map(found.flat().map(({ sequence, transfer_id }) => [transfer_id, sequence]))
    }, storeCall("TransferHistory.lastChanges"))

    const version: TransferHistory["Service"]["version"] = (id) =>
      directRead(sql, sql`SELECT ${sql.literal(VERSION)} AS version FROM transfers t WHERE t.id = ${id}`).pipe(
        Effect.flatMap(decodeVersions),
        Effect.map(([row]) => row?.version),
        storeCall("TransferHistory.version")
      )

    const shown = (orderId: OrderId) => sql`${sql.literal(SHOWN.from)} ${orderId} ${sql.literal(SHOWN.order)}`

    const depositsWhere = (which: Fragment) =>
      sql`SELECT deposit, state, CASE WHEN state = 'unrefundable' AND EXISTS (SELECT 1 FROM refunds_held h WHERE h.onchain_id = deposits.onchain_id) THEN 1 ELSE 0 END AS held
          FROM deposits WHERE ${which} ORDER BY seen_at, onchain_id`.pipe(
        Effect.flatMap(decodeDeposits),
        Effect.map((rows) => rows.map(({ deposit, held, state }) => ({ deposit, state, isHeld: held === 1 })))
      )

    const deposits: TransferHistory["Service"]["deposits"] = (orderId) =>
      depositsWhere(sql`onchain_id IN (${shown(orderId)})`).pipe(storeCall("TransferHistory.deposits"))

    const goneDeposits: TransferHistory["Service"]["goneDeposits"] = (orderId) =>
      sql`SELECT deposit FROM deposits WHERE deposit_id = ${orderId} AND state = 'gone'
          ORDER BY seen_at DESC, onchain_id LIMIT ${sql.literal(`${MOST_SHOWN}`)}`.pipe(
        Effect.flatMap(decodeGone),
        Effect.map((rows) => rows.map(({ deposit }) => deposit)),
        storeCall("TransferHistory.goneDeposits")
      )

    const allDeposits: TransferHistory["Service"]["allDeposits"] = (orderId) =>
      depositsWhere(sql`deposit_id = ${orderId} AND state <> 'gone'`).pipe(storeCall("TransferHistory.allDeposits"))

    const paymentsWhere = (orderId: OrderId, which: Fragment) =>
      sql`SELECT leg, deposit, chain_id, transaction_id, recipient, currency, amount, deposited, state, block, gas_paid
          FROM payments WHERE order_id = ${orderId} AND state <> 'void' AND (${which}) ORDER BY signed_at, leg`.pipe(
        Effect.flatMap(decodePayments),
        Effect.map((rows) => rows.map(toPayment))
      )

    const payments: TransferHistory["Service"]["payments"] = (orderId) =>
      paymentsWhere(orderId, sql`leg IN ('fill', 'fallback') OR deposit IN (${shown(orderId)})`).pipe(
        storeCall("TransferHistory.payments")
      )

    const allPayments: TransferHistory["Service"]["allPayments"] = (orderId) =>
      paymentsWhere(orderId, sql`1 = 1`).pipe(storeCall("TransferHistory.allPayments"))

    const paymentsOf: TransferHistory["Service"]["paymentsOf"] = (orderId, legs) =>
      paymentsWhere(orderId, sql.in("leg", legs)).pipe(storeCall("TransferHistory.paymentsOf"))

    const ofTransactions: TransferHistory["Service"]["ofTransactions"] = (ids) =>
      ids.length === 0
        ? Effect.succeed([])
        : sql`SELECT id FROM transfers WHERE order_id IN (
                SELECT deposit_id FROM deposits WHERE ${sql.in("transaction_id", ids)} AND state <> 'gone'
                UNION SELECT p.order_id FROM payments p
                  JOIN payment_variants v ON v.chain_id = p.chain_id AND v.account = p.account AND v.sequence = p.sequence
                  WHERE ${sql.in("v.transaction_id", ids)} AND p.state <> 'void'
                UNION SELECT order_id FROM payments WHERE ${sql.in("transaction_id", ids)} AND state <> 'void'
                UNION SELECT order_id FROM sends WHERE ${sql.in("transaction_id", ids)}
              ) ORDER BY id LIMIT 50`.pipe(
          Effect.flatMap(decodeIds),
          Effect.map((rows) => rows.map(({ id }) => id)),
          storeCall("TransferHistory.ofTransactions")
        )

    /** The last deposits in a state, by the index that has them in this order. */
    const last = (state: string) =>
      sql`SELECT deposit_id, seen_at FROM deposits WHERE state = ${state}
          ORDER BY seen_at DESC, onchain_id LIMIT ${sql.literal(`${MOST_SHOWN}`)}`

    const lastEnded: TransferHistory["Service"]["lastEnded"] = (limit) =>
      sql`SELECT t.id FROM (
            SELECT * FROM (${last("filled")}) filled UNION ALL SELECT * FROM (${last("refunded")}) refunded
          ) d JOIN transfers t ON t.order_id = d.deposit_id
          GROUP BY t.id ORDER BY MAX(d.seen_at) DESC, t.id LIMIT ${limit}`.pipe(
        Effect.flatMap(decodeIds),
        Effect.map((rows) => rows.map(({ id }) => id)),
        storeCall("TransferHistory.lastEnded")
      )

    return TransferHistory.of({
      eventsAfter,
      lastChanges,
      version,
      deposits,
      goneDeposits,
      allDeposits,
      payments,
      allPayments,
      paymentsOf,
      ofTransactions,
      lastEnded
    })
  })
)
