/** The row of a sponsor's hold, and its lock. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ApiKeyId } from "../../../../src/domain/api-key/ApiKey.ts"
import { MicroUsdcFromString } from "../../../../src/domain/ledger/MicroUsdc.ts"
import { LedgerCurrency } from "../../../../src/domain/ledger/Transaction.ts"
import { Address } from "../../../../src/domain/chain/Address.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { JsonText, Millis, SqlInt } from "../../engine/Columns.ts"

/** `none` and `released`: nothing is held. */
const State = Schema.Literals(["none", "open", "released", "settled"])

const Row = Schema.Struct({
  state: State,
  round: SqlInt,
  key_id: Schema.NullOr(ApiKeyId),
  wallet: Schema.NullOr(Address),
  recipient: Schema.NullOr(Address),
  currency: Schema.NullOr(JsonText(LedgerCurrency)),
  held: MicroUsdcFromString,
  held_at: Millis,
  address: Schema.NullOr(Address),
  later: Schema.NullOr(MicroUsdcFromString)
})

export const Open = Schema.Struct({
  ...Row.fields,
  state: Schema.Literal("open"),
  key_id: ApiKeyId,
  wallet: Address,
  recipient: Address,
  currency: LedgerCurrency
})

export type Open = typeof Open.Type

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

export const isOpen = Schema.is(Open)

/** The row of a request, made if there is none, and locked until the end of the transaction. */
export const lockHold = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, request: RequestId) {
  const empty = { request_id: request, state: "none", round: 0, held: "0", held_at: 0 }
  const rows = yield* decodeRows(
    yield* sql`INSERT INTO sponsor_holds ${
      sql.insert(empty)
    } ON CONFLICT (request_id) DO UPDATE SET round = sponsor_holds.round
      RETURNING state, round, key_id, wallet, recipient, currency, held, held_at, address, later`
  )
  return rows[0] ?? (yield* Effect.die(new Error("a row that was written was not answered")))
})
