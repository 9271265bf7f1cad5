/** Payouts in SQL, one text for both engines. Each change is one transaction with its ledger movement. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import type { NewPayout, Payout } from "../../../ports/store/ledger/Payouts.ts"
import { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { LedgerRefused } from "../../../src/domain/ledger/LedgerRefused.ts"
import { payoutMovementId } from "../../../src/domain/ledger/LedgerIds.ts"
import { reopenPayout } from "../../../src/domain/ledger/Movements.ts"
import { PayoutKind } from "../../../src/domain/ledger/Payout.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { Millis, SqlCount, SqlInt, UintText } from "../engine/Columns.ts"
import { queuedWork } from "../orders/payments/QueuedWork.ts"
import { storeCall } from "../StoreCall.ts"

const SqlChainId = SqlInt.pipe(Schema.decodeTo(ChainId))

const Row = Schema.Struct({
  id: Hex32,
  kind: PayoutKind,
  wallet: Address,
  recipient: Address,
  chain_id: SqlChainId,
  currency: CurrencyAddress,
  amount: UintText,
  nonce: UintText,
  paid_chain_id: SqlChainId,
  paid_currency: CurrencyAddress,
  paid_amount: UintText,
  state: Schema.Literals(["open", "paid", "returned"]),
  asked_at: Millis,
  ended_at: Schema.NullOr(Millis),
  round: SqlInt
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const encodeRow = Schema.encodeEffect(Row)
const decodeCounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ count: SqlCount })))

const toPayout = (row: typeof Row.Type): Payout => ({
  id: row.id,
  kind: row.kind,
  wallet: row.wallet,
  recipient: row.recipient,
  currency: { chainId: row.chain_id, address: row.currency },
  amount: row.amount,
  nonce: row.nonce,
  paid: { currency: { chainId: row.paid_chain_id, address: row.paid_currency }, amount: row.paid_amount },
  state: row.state,
  askedAt: row.asked_at,
  endedAt: row.ended_at ?? undefined,
  round: row.round
})

const toRow = (
  { amount, askedAt, currency, id, kind, nonce, paid, recipient, wallet }: NewPayout
): typeof Row.Type => ({
  id,
  kind,
  wallet,
  recipient,
  chain_id: currency.chainId,
  currency: currency.address,
  amount,
  nonce,
  paid_chain_id: paid.currency.chainId,
  paid_currency: paid.currency.address,
  paid_amount: paid.amount,
  state: "open",
  asked_at: askedAt,
  ended_at: null,
  round: 0
})

type Answered = LedgerRefused | StoreUnavailable

/**
 * A refusal inside the transaction is a failure, so that the transaction rolls back. Outside it is the operation's
 * answer.
 */
const answered =
  (operation: string) => <A>(transaction: Effect.Effect<A, Answered | SqlError.SqlError | Schema.SchemaError>) =>
    transaction.pipe(
      Effect.asSome,
      Effect.catchTag(["LedgerRefused", "StoreUnavailable"], (refused) => Effect.succeed(refused)),
      storeCall(operation),
      Effect.flatMap((result): Effect.Effect<A, Answered> =>
        result instanceof LedgerRefused || result instanceof StoreUnavailable
          ? Effect.fail(result)
          : Effect.fromOption(result).pipe(Effect.orDie)
      )
    )

export const layer = Layer.effect(
  Payouts,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { endUnpaid } = queuedWork(sql)
    const ledger = yield* Ledger

    const read = (id: Hex32) =>
      sql`SELECT * FROM payouts WHERE id = ${id}`.pipe(
        Effect.flatMap(decodeRows),
        Effect.map(([row]) => row === undefined ? undefined : toPayout(row))
      )

    const reserve: Payouts["Service"]["reserve"] = (payout, movement) =>
      sql.withTransaction(Effect.gen(function*() {
        const row = yield* encodeRow(toRow(payout))
        const inserted = yield* decodeRows(
          yield* sql`INSERT INTO payouts ${sql.insert(row)} ON CONFLICT DO NOTHING RETURNING *`
        )
        const [mine] = inserted
        if (mine === undefined) {
          return (yield* read(payout.id)) ?? (yield* new LedgerRefused({ id: movement.id, reason: "duplicate-id" }))
        }
        yield* ledger.post(movement, payout.askedAt)
        return toPayout(mine)
      })).pipe(answered("Payouts.reserve"))

    const close: Payouts["Service"]["close"] = (id, round, state, movement, at) => {
      const end = Effect.gen(function*() {
        const ended = yield* sql`UPDATE payouts SET state = ${state}, ended_at = ${at}
            WHERE id = ${id} AND state = 'open' AND round = ${round} RETURNING id`
        if (ended.length > 0) yield* ledger.post(movement, at)
      })
      const closing = state === "returned"
        ? endUnpaid("payout", id, (isInFlight) =>
          sql`UPDATE payouts SET round = round + 1
              WHERE id = ${id} AND state = 'open' AND round = ${round} AND ${isInFlight}`, end)
        : sql.withTransaction(end)
      return answered("Payouts.close")(closing)
    }

    const reopen: Payouts["Service"]["reopen"] = (id, at) =>
      sql.withTransaction(Effect.gen(function*() {
        // Locks the row until the end of the transaction, so that the round that was read is the one that is reopened.
        yield* sql`UPDATE payouts SET state = state WHERE id = ${id}`
        const before = yield* read(id)
        if (before === undefined || before.state === "returned") return
        yield* sql`UPDATE payouts SET state = 'open', ended_at = NULL, round = ${before.round + 1} WHERE id = ${id}`
        if (before.state === "open") return
        const { amount: units, currency, round, wallet } = before
        const movement = reopenPayout({
          id: payoutMovementId("reopened", id, round),
          currency,
          wallet,
          payout: id,
          units
        })
        yield* ledger.post(yield* Effect.fromResult(movement), at)
        // The movement returns to the payout's account what left it in this round, which the ledger cannot refuse.
      })).pipe(Effect.catchTag("LedgerRefused", (refused) => Effect.die(refused)), storeCall("Payouts.reopen"))

    const askedSince: Payouts["Service"]["askedSince"] = (wallet, since) =>
      sql`SELECT COUNT(*) AS count FROM payouts WHERE wallet = ${wallet} AND asked_at >= ${since}`.pipe(
        Effect.flatMap(decodeCounts),
        Effect.map(([row]) => row?.count ?? 0),
        storeCall("Payouts.askedSince")
      )

    const open = sql`SELECT * FROM payouts WHERE state = 'open' ORDER BY asked_at, id`.pipe(
      Effect.flatMap(decodeRows),
      Effect.map((rows) => rows.map(toPayout)),
      storeCall("Payouts.open")
    )

    return Payouts.of({
      reserve,
      find: (id) => read(id).pipe(storeCall("Payouts.find")),
      open,
      askedSince,
      close,
      reopen
    })
  })
)
