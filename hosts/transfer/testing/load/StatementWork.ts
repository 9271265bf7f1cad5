/**
 * What the engine does for statements, by its own account. On PostgreSQL the pages that they touch, and the tables that
 * they read from end to end; on SQLite, which counts no pages that a program could read, what its plans read.
 *
 * Unlike time, neither depends on what else the machine does.
 */
import { Data, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseSync } from "node:sqlite"
import type { StatementKind } from "../StatementCounts.ts"

export interface StatementWork {
  /** Of all statements together; zero on SQLite. */
  readonly pages: number
  /** What a plan reads that grows with the store, and the statement. */
  readonly growing: ReadonlyMap<string, string>
}

const isExplained = ({ last: { text } }: StatementKind): boolean =>
  /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(text) && !/advisory|pg_/.test(text)

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string | undefined
  readonly "Actual Rows": number
  readonly "Rows Removed by Filter"?: number | undefined
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
  readonly Plans?: ReadonlyArray<Plan> | undefined
}

const Plan = Schema.Struct({
  "Node Type": Schema.String,
  "Relation Name": Schema.optionalKey(Schema.String),
  "Actual Rows": Schema.Number,
  "Rows Removed by Filter": Schema.optionalKey(Schema.Number),
  "Shared Hit Blocks": Schema.Number,
  "Shared Read Blocks": Schema.Number,
  Plans: Schema.optionalKey(Schema.Array(Schema.suspend((): Schema.Codec<Plan> => Plan)))
})

const decodePlans = Schema.decodeUnknownEffect(
  Schema.Tuple([
    Schema.Struct({
      "QUERY PLAN": Schema.Tuple([Schema.Struct({ Plan: Schema.suspend((): Schema.Codec<Plan> => Plan) })])
    })
  ])
)

class Explained extends Data.TaggedError("Explained")<{ readonly rows: ReadonlyArray<unknown> }> {}

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** A table of fewer rows is one that does not grow, and PostgreSQL reads such a table from end to end rightly. */
const MANY = 200

/** Each statement is executed again, and taken back. */
export const workOnPostgres = Effect.fnUntraced(function*(kinds: ReadonlyArray<StatementKind>) {
  const sql = yield* SqlClient.SqlClient
  let pages = 0
  const growing = new Map<string, string>()
  for (const { count, last: { parameters, text } } of kinds.filter(isExplained)) {
    const explained = sql.unsafe(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, parameters)
    // Fails with its answer, so that the transaction is taken back.
    const answer = yield* Effect.flip(
      sql.withTransaction(Effect.flatMap(explained, (rows) => new Explained({ rows })))
    )
    if (!(answer instanceof Explained)) continue
    const [{ "QUERY PLAN": [{ Plan: root }] }] = yield* decodePlans(answer.rows)
    pages += count * (root["Shared Hit Blocks"] + root["Shared Read Blocks"])
    for (const node of nodesOf(root)) {
      const rows = node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)
      if (node["Node Type"] === "Seq Scan" && rows > MANY) growing.set(`${node["Relation Name"]}: Seq Scan`, text)
    }
  }
  return { pages, growing } satisfies StatementWork
})

/** Columns with few values: what is found by one of these alone is a part of the table, and grows with it. */
const BROAD = /^SEARCH (\w+) USING (?:COVERING )?INDEX (\w+) \((?:chain_id|state|status|leg|kind)=\?\)/

const SCANNED = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/

/** Tables with few rows however many requests there were: of chains and keys, and what is not final, held or halted. */
const FEW = new Set([
  "causeway_migrations",
  "credit_cursors",
  "cursors",
  "exposures",
  "final_blocks",
  "pauses",
  "restorations",
  "secrets_keys",
  "send_cursors",
  "unattested_totals",
  "webhooks"
])

/** By the plans alone. An index of a part of the rows holds what is under way, which does not grow. */
export const workOnSqlite = (file: string, kinds: ReadonlyArray<StatementKind>): StatementWork => {
  const store = new DatabaseSync(file, { readOnly: true })
  const schema = store.prepare("SELECT type, name, sql FROM sqlite_master").all()
  const tables = new Set(schema.flatMap(({ name, type }) => type === "table" ? [String(name)] : []))
  const parts = new Set(
    schema.flatMap(({ name, sql, type }) => type === "index" && /\bWHERE\b/.test(String(sql)) ? [String(name)] : [])
  )
  /** The table behind an alias. Undefined for what a statement makes itself. */
  const tableOf = (text: string, alias: string): string | undefined => {
    const named = new RegExp(`(?:FROM|JOIN)\\s+"?(\\w+)"?\\s+(?:AS\\s+)?${alias}\\b`).exec(text)?.[1] ?? alias
    return tables.has(named) ? named : undefined
  }
  const growing = new Map<string, string>()
  for (const { last: { text } } of kinds.filter(isExplained)) {
    for (const { detail } of store.prepare(`EXPLAIN QUERY PLAN ${text}`).all()) {
      const [, alias, by = ""] = SCANNED.exec(String(detail)) ?? BROAD.exec(String(detail)) ?? []
      const table = alias === undefined ? undefined : tableOf(text, alias)
      if (table !== undefined && !FEW.has(table) && !parts.has(by)) growing.set(`${table}: ${String(detail)}`, text)
    }
  }
  store.close()
  return { pages: 0, growing }
}
