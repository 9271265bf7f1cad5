/**
 * A store as large as years of use make it: what a few transfers wrote is copied under other ids, in the store itself.
 *
 * Ids differ in their last eight digits, alike in all tables, so that copies belong together as their originals do. What
 * is inside of JSON keeps the ids of the original, which no index reads.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { DatabaseSync } from "node:sqlite"

/** The tables with rows of each request, each after those that it refers to. */
const TABLES = [
  "transfers",
  "transfer_events",
  "deposits",
  "payments",
  "payment_variants",
  "payment_costs",
  "valuations",
  "ledger_transactions",
  "ledger_entries",
  "settlements",
  "deposit_addresses",
  "deposit_address_requests"
] as const

/** Milliseconds between two copies, so that all are within what retention keeps. */
const APART_MS = 300

type Sample = Readonly<Record<string, unknown>>

/** A column's value in copy `i`, by what it is in the originals. `renamed`: of a text and a number of hex digits. */
const copyOf =
  (samples: ReadonlyArray<Sample>, renamed: (name: string, digits: number) => string) => (name: string) => {
    const texts = samples.map((row) => row[name])
    const has = (pattern: RegExp) => texts.some((text) => typeof text === "string" && pattern.test(text))
    if (has(/^[{[]/)) return name
    if (name === "address" || name === "deposit_address") return renamed(name, 40)
    if (has(/^.{0,80}[0-9a-f]{64}.{0,80}$/)) return renamed(name, 64)
    if (name === "sequence" && has(/^[0-9]+$/)) return `CAST(CAST(sequence AS BIGINT) + 1000 * i AS TEXT)`
    return /^(quoted|seen|signed|posted|created|touched|updated)_at$/.test(name) ? `${name} - ${APART_MS} * i` : name
  }

/** Adds copies `from` up to `to` of the rows that the store had when this was first called for it. */
const statementsFor = (
  table: string,
  samples: ReadonlyArray<Sample>,
  renamed: (name: string, digits: number) => string,
  numbers: string
): string => {
  const columns = Object.keys(samples[0] ?? {})
  return `INSERT INTO ${table} (${columns.join(", ")})
          SELECT ${columns.map(copyOf(samples, renamed)).join(", ")} FROM originals_${table}, ${numbers}`
}

/** For a database to which this process's `SqlClient` leads. */
export const growPostgres = Effect.fnUntraced(
  function*(from: number, to: number): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
    const sql = yield* SqlClient.SqlClient
    // A plain id is cut, which is many times as quick as looking for one.
    const renamed = (name: string, digits: number) =>
      `CASE WHEN length(${name}) = ${digits + 2} THEN left(${name}, ${digits - 6}) || lpad(to_hex(i), 8, '0')
       ELSE regexp_replace(${name}, '([0-9a-f]{${digits - 8}})[0-9a-f]{8}', '\\1' || lpad(to_hex(i), 8, '0'), 'g') END`
    for (const table of TABLES) {
      yield* sql.unsafe(`CREATE TABLE IF NOT EXISTS originals_${table} AS SELECT * FROM ${table}`)
      const samples = yield* sql.unsafe<Sample>(`SELECT * FROM originals_${table}`)
      if (samples.length === 0) continue
      yield* sql.unsafe(statementsFor(table, samples, renamed, `generate_series(${from}, ${to - 1}) AS n (i)`))
    }
    yield* sql.unsafe("ANALYZE")
  }
)

/** For a file that no host has open. */
export const growSqlite = (file: string, from: number, to: number): void => {
  const store = new DatabaseSync(file)
  store.exec("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN")
  store.function("renamed", { deterministic: true }, (text, digits, i) =>
    typeof text === "string"
      ? text.replaceAll(
        new RegExp(`([0-9a-f]{${Number(digits) - 8}})[0-9a-f]{8}`, "g"),
        (_, kept: string) => kept + Number(i).toString(16).padStart(8, "0")
      )
      : text)
  for (const table of TABLES) {
    store.exec(`CREATE TABLE IF NOT EXISTS originals_${table} AS SELECT * FROM ${table}`)
    const samples = store.prepare(`SELECT * FROM originals_${table}`).all()
    if (samples.length === 0) continue
    store.exec(
      `WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to - 1}) ${
        statementsFor(table, samples, (name, digits) => `renamed(${name}, ${digits}, i)`, "n")
      }`
    )
  }
  store.exec("COMMIT")
  store.close()
}
