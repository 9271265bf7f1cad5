/** Losses in SQL, one text for both engines. Each loss has one row; detecting it again changes that row. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Losses } from "../../../ports/store/ledger/Losses.ts"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import { CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { Millis, SqlInt, UintText } from "../engine/Columns.ts"
import { DepositStates } from "../orders/DepositStates.ts"
import { storeCall } from "../StoreCall.ts"

const Row = Schema.Struct({
  kind: Schema.Literals(["deposit", "payment"]),
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  order_id: OrderId,
  deposit: Hex32,
  transaction_id: TransactionId,
  currency: CurrencyAddress,
  amount: UintText,
  noticed_at: Millis,
  recovered_at: Schema.NullOr(Millis)
})
const decodeStates = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ state: DepositStates })))

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

export const layer = Layer.effect(
  Losses,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const payouts = yield* Payouts

    const paidFor = (orderId: OrderId, deposit: Hex32) =>
      sql`SELECT leg FROM payments
          WHERE order_id = ${orderId} AND deposit = ${deposit} AND state IN ('signed', 'sent', 'included') LIMIT 1`

    const book: Losses["Service"]["book"] = (
      { amount, chainId, currency, deposit, kind, orderId, transactionId },
      at
    ) => {
      const row = {
        id: `${kind}:${kind === "deposit" ? deposit : transactionId}`,
        chain_id: chainId,
        kind,
        order_id: orderId,
        deposit,
        transaction_id: transactionId,
        currency,
        amount: amount.toString(),
        noticed_at: at,
        recovered_at: null
      }
      return sql.withTransaction(Effect.gen(function*() {
        // Locks the row: another deposit may be taking over its payment now (`Payments.handOver`).
        const [found] = yield* decodeStates(
          yield* sql`UPDATE deposits SET sighting = sighting WHERE onchain_id = ${deposit} RETURNING state`
        )
        if (kind === "deposit" && found?.state === "gone" && (yield* paidFor(orderId, deposit)).length === 0) {
          return false
        }
        const booked = yield* sql`INSERT INTO losses ${sql.insert(row)}
          ON CONFLICT (id) DO UPDATE SET noticed_at = ${at}, recovered_at = NULL, amount = excluded.amount
          WHERE losses.recovered_at IS NOT NULL OR losses.amount <> excluded.amount
          RETURNING id`
        if (booked.length === 0) return false
        // SECURITY: a filling that found its payment final may not have closed its deposit yet. The new sighting
        // prevents that close. Without it, nothing would make the payment again, and its sequence would block all later
        // ones.
        yield* sql`UPDATE deposits SET state = 'open', sighting = sighting + 1
                   WHERE onchain_id = ${deposit} AND state IN ('filled', 'refunded', ${
          kind === "payment" ? "open" : "filled"
        })`
        if (kind === "payment") yield* payouts.reopen(deposit, at)
        return true
      })).pipe(storeCall("Losses.book"))
    }

    const recover: Losses["Service"]["recover"] = (deposit, kinds, at) =>
      sql`UPDATE losses SET recovered_at = ${at} WHERE deposit = ${deposit} AND ${
        sql.in("kind", kinds)
      } AND recovered_at IS NULL`
        .pipe(
          Effect.asVoid,
          storeCall("Losses.recover")
        )

    const all = sql`SELECT kind, chain_id, order_id, deposit, transaction_id, currency, amount, noticed_at, recovered_at
                    FROM losses ORDER BY noticed_at DESC, id`.pipe(
      Effect.flatMap(decodeRows),
      Effect.map((rows) =>
        rows.map(({ chain_id, noticed_at, order_id, recovered_at, transaction_id, ...row }) => ({
          ...row,
          chainId: chain_id,
          orderId: order_id,
          transactionId: transaction_id,
          noticedAt: noticed_at,
          recoveredAt: recovered_at
        }))
      ),
      storeCall("Losses.all")
    )

    return Losses.of({ book, recover, all })
  })
)
