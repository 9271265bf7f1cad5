/**
 * What keys have spent, one row for each thing that a limit counts: read for a quote, moved within the transaction of a
 * hold.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { MicroUsdc, MicroUsdcFromString } from "../../../src/domain/ledger/MicroUsdc.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { type BudgetLimits, budgetLeft, laterLeft } from "../../../src/domain/sponsorship/Budget.ts"

const SpentRow = Schema.Struct({ scope: Schema.String, spent: MicroUsdcFromString })
const decodeSpent = Schema.decodeUnknownEffect(Schema.Array(SpentRow))

const LimitsRow = Schema.Struct({
  total: Schema.NullOr(MicroUsdcFromString),
  per_day: Schema.NullOr(MicroUsdcFromString),
  per_recipient_per_day: Schema.NullOr(MicroUsdcFromString),
  later_per_address_per_day: Schema.NullOr(MicroUsdcFromString)
})
const decodeLimits = Schema.decodeUnknownEffect(Schema.Array(LimitsRow))

/** Whose spending is meant, in which UTC day. */
export interface Spender {
  readonly key: ApiKeyId
  readonly recipient: Address
  readonly day: number
}

const TOTAL = "total"
const OF_DAYS = "day:"
const dayScope = (day: number): string => `${OF_DAYS}${day}`
const recipientScope = ({ day, recipient }: Omit<Spender, "key">): string => `${dayScope(day)}:${recipient}`

/** Always in this order: two transactions never wait for each other in a circle. */
const scopesOf = (spender: Spender): ReadonlyArray<string> => [TOTAL, dayScope(spender.day), recipientScope(spender)]

const spentIn = (rows: ReadonlyArray<typeof SpentRow.Type>, scope: string): MicroUsdc =>
  rows.find((row) => row.scope === scope)?.spent ?? MicroUsdc(0n)

/** The limits of a key; none for a key without. */
export const limitsOf = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, key: ApiKeyId) {
  const [row] = yield* decodeLimits(
    yield* sql`SELECT total, per_day, per_recipient_per_day, later_per_address_per_day FROM key_budgets WHERE key_id = ${key}`
  )
  const limits: BudgetLimits = row === undefined ? {} : {
    ...(row.total === null ? {} : { total: row.total }),
    ...(row.per_day === null ? {} : { perDay: row.per_day }),
    ...(row.per_recipient_per_day === null ? {} : { perRecipientPerDay: row.per_recipient_per_day }),
    ...(row.later_per_address_per_day === null ? {} : { laterPerAddressPerDay: row.later_per_address_per_day })
  }
  return limits
})

/** What a key has spent in all, and on a day. */
export const spentOf = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, key: ApiKeyId, day: number) {
  const rows = yield* decodeSpent(
    yield* sql`SELECT scope, spent FROM budget_spent WHERE key_id = ${key} AND scope IN ${
      sql.in([TOTAL, dayScope(day)])
    }`
  )
  return { total: spentIn(rows, TOTAL), day: spentIn(rows, dayScope(day)) }
})

const leftUnder = (
  limits: BudgetLimits,
  rows: ReadonlyArray<typeof SpentRow.Type>,
  spender: Spender
): MicroUsdc | undefined =>
  budgetLeft(limits, {
    total: spentIn(rows, TOTAL),
    day: spentIn(rows, dayScope(spender.day)),
    recipient: spentIn(rows, recipientScope(spender))
  })

/** What the spender may still spend; undefined when nothing limits it. */
export const leftFor = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, spender: Spender) {
  const rows = yield* decodeSpent(
    yield* sql`SELECT scope, spent FROM budget_spent WHERE key_id = ${spender.key} AND scope IN ${
      sql.in(scopesOf(spender))
    }`
  )
  return leftUnder(yield* limitsOf(sql, spender.key), rows, spender)
})

/** Rows of a key, locked until the end of the transaction by a statement that answers with one of them. */
const lockEach = <E>(
  scopes: ReadonlyArray<string>,
  lock: (scope: string) => Effect.Effect<ReadonlyArray<unknown>, E>
) => Effect.forEach(scopes, lock).pipe(Effect.flatMap((rows) => decodeSpent(rows.flat())))

/** All of them: made where there is none. */
const lockAll = (sql: SqlClient.SqlClient, key: ApiKeyId, scopes: ReadonlyArray<string>) =>
  lockEach(scopes, (scope) =>
    sql`INSERT INTO budget_spent ${sql.insert({ key_id: key, scope, spent: "0" })}
        ON CONFLICT (key_id, scope) DO UPDATE SET scope = excluded.scope RETURNING scope, spent`)

/** Those that are kept: of a day that was forgotten there is none. */
const lockKept = (sql: SqlClient.SqlClient, key: ApiKeyId, scopes: ReadonlyArray<string>) =>
  lockEach(
    scopes,
    (scope) =>
      sql`UPDATE budget_spent SET scope = scope WHERE key_id = ${key} AND scope = ${scope} RETURNING scope, spent`
  )

const write = (sql: SqlClient.SqlClient, key: ApiKeyId, rows: ReadonlyArray<typeof SpentRow.Type>, units: bigint) =>
  Effect.forEach(
    rows,
    ({ scope, spent }) =>
      sql`UPDATE budget_spent SET spent = ${(spent + units).toString()} WHERE key_id = ${key} AND scope = ${scope}`,
    { discard: true }
  )

/** Counts what is held; false, and nothing is counted, when a limit does not leave as much. Within a transaction. */
export const spend = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, spender: Spender, units: MicroUsdc) {
  const rows = yield* lockAll(sql, spender.key, scopesOf(spender))
  const left = leftUnder(yield* limitsOf(sql, spender.key), rows, spender)
  if (left !== undefined && units > left) return false
  yield* write(sql, spender.key, rows, units)
  return true
})

/** Takes back what was counted and not spent, where it is counted still. Within a transaction. */
export const giveBack = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, spender: Spender, units: bigint) {
  if (units > 0n) yield* write(sql, spender.key, yield* lockKept(sql, spender.key, scopesOf(spender)), -units)
})

/** The later deposits of which address, in which UTC day; counted beside what their spender spends. */
export interface LaterSpender {
  readonly key: ApiKeyId
  readonly address: Address
  readonly day: number
}

const addressScope = ({ address, day }: LaterSpender): string => `${dayScope(day)}:at:${address}`

/** What they may still draw. */
export const laterLeftFor = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, spender: LaterSpender) {
  const scope = addressScope(spender)
  const rows = yield* decodeSpent(
    yield* sql`SELECT scope, spent FROM budget_spent WHERE key_id = ${spender.key} AND scope = ${scope}`
  )
  return laterLeft(yield* limitsOf(sql, spender.key), spentIn(rows, scope))
})

/** As `spend`, after it in the same transaction: rows are locked in one order. */
export const spendLater = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, spender: LaterSpender, units: MicroUsdc) {
    const scope = addressScope(spender)
    const rows = yield* lockAll(sql, spender.key, [scope])
    if (units > laterLeft(yield* limitsOf(sql, spender.key), spentIn(rows, scope))) return false
    yield* write(sql, spender.key, rows, units)
    return true
  }
)

/** As `giveBack`, after it. */
export const giveBackLater = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, spender: LaterSpender, units: bigint) {
    if (units > 0n) yield* write(sql, spender.key, yield* lockKept(sql, spender.key, [addressScope(spender)]), -units)
  }
)

/**
 * Forgets at most so many rows of days before one, and answers how many. Days are compared as texts, key by key as they
 * are indexed: their numbers have five digits until the year 2243. Rows that somebody has locked are left for the next
 * time, so that nobody waits in a circle; on SQLite there is one writer anyway.
 */
export const forgetDaysBefore = (sql: SqlClient.SqlClient, before: number, atMost: number) => {
  const unlocked = sql.onDialectOrElse({
    pg: () => sql.literal("FOR UPDATE SKIP LOCKED"),
    orElse: () => sql.literal("")
  })
  return Effect.map(
    sql`WITH past AS MATERIALIZED (
        SELECT key_id, scope FROM budget_spent
        WHERE key_id IN (SELECT id FROM api_keys) AND scope >= ${OF_DAYS} AND scope < ${
      dayScope(before)
    } LIMIT ${atMost} ${unlocked}
      )
      DELETE FROM budget_spent WHERE (key_id, scope) IN (SELECT key_id, scope FROM past) RETURNING key_id`,
    (gone) => gone.length
  )
}
