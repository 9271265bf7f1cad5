/** Unpaid deposit addresses in SQL, one text for both engines except for a lock that only PostgreSQL needs. */
import { Array as Arr, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UnpaidAddresses } from "../../../ports/store/operations/UnpaidAddresses.ts"
import { NO_ORDER } from "../../../src/domain/deposit-address/reindex/NoOrder.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { Order } from "../../../src/domain/order/Order.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { TransferTerms } from "../../../src/domain/transfer/Transfer.ts"
import { decodeAddresses } from "../orders/DepositAddresses.ts"
import { JsonText, Millis } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const QuoteRow = Schema.Struct({
  id: RequestId,
  quoted_at: Millis,
  order_json: JsonText(Order),
  terms: JsonText(TransferTerms)
})
const decodeTransactions = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ transaction_id: TransactionId })))
/** Ids in one statement. Engines limit its parameters. */
const IDS = 1_000
const decodeQuotes = Schema.decodeUnknownEffect(Schema.Array(QuoteRow))

export const layer = Layer.effect(
  UnpaidAddresses,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const list: UnpaidAddresses["Service"]["list"] = Effect.fnUntraced(function*(quotedBefore, after, limit) {
      // Lists the address's own quote. An address that has a later request is listed too, and `drop` keeps it. Joined
      // by the address, which has an index: by the request alone, SQLite would read all addresses for each page.
      const rows = yield* sql`SELECT t.id, t.quoted_at, t.order_json, t.terms, a.* FROM transfers t
            JOIN deposit_addresses a ON a.address = t.deposit_address AND a.request_id = t.id
          WHERE t.status = 'waiting' AND t.deposit_address IS NOT NULL AND t.quoted_at < ${quotedBefore}
            AND (t.quoted_at, t.id) > (${after?.quotedAt ?? -1}, ${after?.id ?? ""})
          ORDER BY t.quoted_at, t.id LIMIT ${limit}`
      const kept = yield* decodeAddresses(rows)
      return (yield* decodeQuotes(rows)).flatMap(({ id, order_json, quoted_at, terms }, index) => {
        const address = kept[index]
        return address === undefined ? [] : [{ id, quotedAt: quoted_at, order: order_json, terms, kept: address }]
      })
    }, storeCall("UnpaidAddresses.list"))

    /**
     * Waits for transactions that record a sighting now, and makes later ones wait. SQLite has one writer at a time
     * anyway.
     */
    const lockSightings = sql.onDialectOrElse({
      // A transaction that waits for this lock blocks all later ones behind it, so it waits only briefly and is
      // retried.
      pg: () =>
        Effect.andThen(
          sql`SET LOCAL lock_timeout = '500ms'`,
          Effect.asVoid(
            sql`LOCK TABLE deposits, sweeps, sponsor_holds, deposit_address_requests IN SHARE ROW EXCLUSIVE MODE`
          )
        ),
      orElse: () => Effect.void
    })

    const drop: UnpaidAddresses["Service"]["drop"] = ({ id, kept: { address } }, at) =>
      sql.withTransaction(Effect.gen(function*() {
        yield* lockSightings
        const unseen = yield* sql`UPDATE transfers SET updated_at = updated_at
            WHERE id = ${id} AND status = 'waiting' AND deposit_address = ${address}
              AND NOT EXISTS (SELECT 1 FROM deposits WHERE deposits.deposit_id = transfers.order_id)
              AND NOT EXISTS (SELECT 1 FROM payments WHERE payments.order_id = transfers.order_id)
              AND NOT EXISTS (SELECT 1 FROM sweeps WHERE sweeps.address = ${address})
              AND NOT EXISTS (SELECT 1 FROM sponsor_holds WHERE sponsor_holds.request_id = transfers.id)
              AND NOT EXISTS (SELECT 1 FROM deposit_address_requests r WHERE r.address = ${address} AND r.request_id <> transfers.id)
            RETURNING id`
        if (unseen.length === 0) return false
        yield* sql`INSERT INTO dropped_addresses ${sql.insert({ address, dropped_at: at })}`
        yield* sql`DELETE FROM deposit_address_requests WHERE request_id = ${id}`
        yield* sql`DELETE FROM deposit_address_reindexes WHERE address = ${address}`
        yield* sql`DELETE FROM transfer_events WHERE transfer_id = ${id}`
        yield* sql`DELETE FROM transfers WHERE id = ${id}`
        return true
      })).pipe(storeCall("UnpaidAddresses.drop"))

    const dropped: UnpaidAddresses["Service"]["dropped"] = (address) =>
      sql`SELECT a.* FROM deposit_addresses a JOIN dropped_addresses d ON d.address = a.address WHERE a.address = ${address}`
        .pipe(
          Effect.flatMap(decodeAddresses),
          Effect.map(([kept]) => kept),
          storeCall("UnpaidAddresses.dropped")
        )

    const sweptBy: UnpaidAddresses["Service"]["sweptBy"] = (transactionId, currency) =>
      sql`SELECT a.* FROM payment_variants v
            JOIN payments p ON p.chain_id = v.chain_id AND p.account = v.account AND p.sequence = v.sequence
            JOIN sweeps s ON s.id = p.order_id
            JOIN deposit_addresses a ON a.address = s.address
            JOIN dropped_addresses d ON d.address = a.address
          WHERE v.transaction_id = ${transactionId} AND p.leg = 'sweep' AND s.deposit_id = ${NO_ORDER} AND s.currency = ${currency}
          UNION SELECT a.* FROM payments p
            JOIN sweeps s ON s.id = p.order_id
            JOIN deposit_addresses a ON a.address = s.address
            JOIN dropped_addresses d ON d.address = a.address
          WHERE p.transaction_id = ${transactionId} AND p.leg = 'sweep' AND s.deposit_id = ${NO_ORDER} AND s.currency = ${currency}`
        .pipe(
          Effect.flatMap(decodeAddresses),
          Effect.map(([kept]) => kept),
          storeCall("UnpaidAddresses.sweptBy")
        )

    const sweepsAmong: UnpaidAddresses["Service"]["sweepsAmong"] = (transactionIds) =>
      Effect.forEach(
        Arr.chunksOf(transactionIds, IDS),
        (ids) =>
          Effect.flatMap(
            sql`SELECT v.transaction_id FROM payment_variants v
            JOIN payments p ON p.chain_id = v.chain_id AND p.account = v.account AND p.sequence = v.sequence
            JOIN sweeps s ON s.id = p.order_id
            JOIN dropped_addresses d ON d.address = s.address
          WHERE ${sql.in("v.transaction_id", ids)} AND p.leg = 'sweep' AND s.deposit_id = ${NO_ORDER}
            UNION SELECT p.transaction_id FROM payments p
            JOIN sweeps s ON s.id = p.order_id
            JOIN dropped_addresses d ON d.address = s.address
          WHERE ${sql.in("p.transaction_id", ids)} AND p.leg = 'sweep' AND s.deposit_id = ${NO_ORDER}`,
            decodeTransactions
          )
      ).pipe(
        Effect.map((found) => new Set(found.flat().map(({ transaction_id }) => transaction_id))),
        storeCall("UnpaidAddresses.sweepsAmong")
      )

    return UnpaidAddresses.of({ list, drop, dropped, sweptBy, sweepsAmong })
  })
)
