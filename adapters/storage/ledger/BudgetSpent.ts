/**
 * The spending of keys, one row for each amount that a limit counts. Read for a quote, and changed within the
 * transaction of a hold.
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

/** The key and recipient whose spending is counted, and the UTC day. */
export interface Spender {
  readonly key: ApiKeyId
  readonly recipient: Address
  readonly day: number
}

const TOTAL = "total"
const OF_DAYS = "day:"
const dayScope = (day: number): string => `${OF_DAYS}${day}`
const recipientScope = ({ day, recipient }: Omit<Spender, "key">): string => `${dayScope(day)}:${recipient}`

/** Always in this order, so that two transactions cannot deadlock. */
const scopesOf = (spender: Spender): ReadonlyArray<string> => [TOTAL, dayScope(spender.day), recipientScope(spender)]

const spentIn = (rows: ReadonlyArray<typeof SpentRow.Type>, scope: string): MicroUsdc =>
  rows.find((row) => row.scope === scope)?.spent ?? MicroUsdc(0n)

/** The limits of a key; empty for a key without limits. */
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

/** What a key has spent in total, and on one day. */
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

/** What the spender may still spend; undefined when no limit applies. */
export const leftFor = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, spender: Spender) {
  const rows = yield* decodeSpent(
    yield* sql`SELECT scope, spent FROM budget_spent WHERE key_id = ${spender.key} AND scope IN ${
      sql.in(scopesOf(spender))
    }`
  )
  return leftUnder(yield* limitsOf(sql, spender.key), rows, spender)
})

/** Locks rows of a key until the end of the transaction. Each row takes one statement, which returns it. */
const lockEach = <E>(
  scopes: ReadonlyArray<string>,
  lock: (scope: string) => Effect.Effect<ReadonlyArray<unknown>, E>
) => Effect.forEach(scopes, lock).pipe(Effect.flatMap((rows) => decodeSpent(rows.flat())))

/** Locks all of these rows, and creates the missing ones. */
const lockAll = (sql: SqlClient.SqlClient, key: ApiKeyId, scopes: ReadonlyArray<string>) =>
  lockEach(scopes, (scope) =>
    sql`INSERT INTO budget_spent ${sql.insert({ key_id: key, scope, spent: "0" })}
        ON CONFLICT (key_id, scope) DO UPDATE SET scope = excluded.scope RETURNING scope, spent`)

/** Locks those rows that exist: the rows of a day that was deleted do not. */
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

/**
 * Counts a hold as spent; false, and nothing is counted, when a limit does not leave enough. Call within a transaction.
 */
export const spend = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, spender: Spender, units: MicroUsdc) {
  const rows = yield* lockAll(sql, spender.key, scopesOf(spender))
  const left = leftUnder(yield* limitsOf(sql, spender.key), rows, spender)
  if (left !== undefined && units > left) return false
  yield* write(sql, spender.key, rows, units)
  return true
})

/** Subtracts what was counted and not spent, from the rows that still exist. Call within a transaction. */
export const giveBack = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, spender: Spender, units: bigint) {
  if (units > 0n) yield* write(sql, spender.key, yield* lockKept(sql, spender.key, scopesOf(spender)), -units)
})

/**
 * The deposit address whose later deposits are counted, and the UTC day. They count in addition to their spender's
 * spending.
 */
export interface LaterSpender {
  readonly key: ApiKeyId
  readonly address: Address
  readonly day: number
}

const addressScope = ({ address, day }: LaterSpender): string => `${dayScope(day)}:at:${address}`

/** What the address's later deposits may still draw on that day. */
export const laterLeftFor = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, spender: LaterSpender) {
  const scope = addressScope(spender)
  const rows = yield* decodeSpent(
    yield* sql`SELECT scope, spent FROM budget_spent WHERE key_id = ${spender.key} AND scope = ${scope}`
  )
  return laterLeft(yield* limitsOf(sql, spender.key), spentIn(rows, scope))
})

/** As `spend`. Call after it in the same transaction, because rows are locked in one order. */
export const spendLater = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, spender: LaterSpender, units: MicroUsdc) {
    const scope = addressScope(spender)
    const rows = yield* lockAll(sql, spender.key, [scope])
    if (units > laterLeft(yield* limitsOf(sql, spender.key), spentIn(rows, scope))) return false
    yield* write(sql, spender.key, rows, units)
    return true
  }
)

/** As `giveBack`. Call after it. */
export const giveBackLater = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, spender: LaterSpender, units: bigint) {
    if (units > 0n) yield* write(sql, spender.key, yield* lockKept(sql, spender.key, [addressScope(spender)]), -units)
  }
)

/**
 * Deletes at most `atMost` rows of days before `before`, and returns how many. Days are compared as texts, key by key
 * as they are indexed: their numbers have five digits until the year 2243. Rows that another transaction has locked are
 * left for the next run, which avoids deadlocks; SQLite has one writer anyway.
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
