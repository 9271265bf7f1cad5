/**
 * The store of the full floor: one SQLite in memory for a whole run, and a client of it for each process. A client
 * passes every statement through the gate of its process, and the store's faults strike there.
 */
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError, Statement } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import type { WorkflowEngine } from "effect/workflow"
import { layerPolling } from "../../adapters/storage/cluster/WorkflowEngine.ts"
import { Engine, layerDatabase } from "../../adapters/storage/engine/Database.ts"
import { Notices } from "../../adapters/storage/engine/notices/Notices.ts"
import { migrate } from "../../adapters/storage/engine/Migrations.ts"
import { migrations } from "../../adapters/storage/migrations/index.ts"
import * as SqlWorkflows from "../../adapters/storage/operations/Workflows.ts"
import * as Adapters from "../../hosts/transfer/config/Adapters.ts"
import type { Environment } from "../../hosts/transfer/config/Environment.ts"
import type * as Memory from "../memory-store/index.ts"
import type { Books } from "./Books.ts"
import type { Dice } from "./Dice.ts"
import type { StoreMoods } from "./faults/StoreMoods.ts"
import type { Faults } from "./Faults.ts"
import type { Gate } from "./Gate.ts"

const Payment = Schema.Struct({
  order_id: Schema.String,
  leg: Schema.String,
  chain_id: Schema.Number,
  transaction_id: Schema.String,
  state: Schema.String,
  recipient: Schema.String,
  currency: Schema.String,
  amount: Schema.String
})
const Deposit = Schema.Struct({
  onchain_id: Schema.String,
  chain_id: Schema.Number,
  transaction_id: Schema.String,
  deposit_id: Schema.String,
  state: Schema.String
})
const Loss = Schema.Struct({
  kind: Schema.String,
  order_id: Schema.String,
  currency: Schema.String,
  amount: Schema.String,
  recovered_at: Schema.NullOr(Schema.Number)
})
const Variant = Schema.Struct({ raw: Schema.String })
const rows = <A>(schema: Schema.ConstraintCodec<A, unknown>) => Schema.decodeUnknownSync(Schema.Array(schema))
const decode = { payments: rows(Payment), deposits: rows(Deposit), losses: rows(Loss), variants: rows(Variant) }

const booksOf = (sql: SqlClient.SqlClient): Effect.Effect<Books> =>
  Effect.orDie(Effect.gen(function*() {
    return {
      payments: decode.payments(
        yield* sql`SELECT order_id, leg, chain_id, transaction_id, state, recipient, currency, amount
            FROM payments ORDER BY order_id, leg`
      ),
      deposits: decode.deposits(
        yield* sql`SELECT onchain_id, chain_id, transaction_id, deposit_id, state FROM deposits ORDER BY onchain_id`
      ),
      losses: decode.losses(yield* sql`SELECT kind, order_id, currency, amount, recovered_at FROM losses ORDER BY id`)
    }
  }))

/** Through what one process reaches the store. */
export interface Reach {
  readonly gate: Gate
  readonly faults: Faults
  readonly moods: StoreMoods
  readonly dice: Dice
}

/** All ports of a store, and the workflow engine over it. */
export type Stored = StorePorts | WorkflowEngine.WorkflowEngine

export type StorePorts = Layer.Success<typeof Memory.layerPorts>

/** The store of a run: every process gets its own layers over it. */
export interface OpenStore {
  /** The ports beside all gates and faults: for the laws, and for what is there before the first process. */
  readonly ports: Layer.Layer<StorePorts, unknown>
  /** Whether a process can go on while the next one has its work, as on PostgreSQL. An embedded store is locked. */
  readonly letsProcessesOverlap: boolean
  /**
   * Takes a backup. What is returned puts it in the place of the store and marks it as restored, as of a time in
   * milliseconds, while no process runs. Undefined where that is not simulated.
   */
  readonly backUp: Effect.Effect<(at: number) => Effect.Effect<void>> | undefined
  readonly processOf: (reach: Reach) => Layer.Layer<Stored, unknown>
  /** Read beside all gates and faults, as is `isStored`. */
  readonly books: Effect.Effect<Books>
  /** Whether a payment with this transaction id is stored. */
  readonly isStored: (transactionId: string) => Effect.Effect<boolean>
  /** The stored bytes of the payment that have this text in them. */
  readonly storedWith: (text: string) => Effect.Effect<string | undefined>
}

/** Stored sleeps end at most this late. The host's half second would cost a run most of its time. */
const ENGINE_POLL = "5 seconds"

/** The store of a run, migrated. The scope closes it. `now`: milliseconds. */
export const openStore = (environment: Environment, now: () => number) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(layerDatabase(Redacted.make("sqlite::memory:")))
    yield* Effect.provide(migrate(migrations), context)
    const client = Context.get(context, SqlClient.SqlClient)
    const notices = Context.get(context, Notices)
    return {
      letsProcessesOverlap: false,
      backUp: undefined,
      processOf: (reach) => {
        const own = layerClient({ client, notices }, reach, now)
        return Layer.mergeAll(
          Adapters.storedOver(environment, own),
          Layer.provideMerge(SqlWorkflows.layer, layerPolling(ENGINE_POLL)).pipe(Layer.provide(own))
        )
      },
      ports: Layer.provideMerge(
        SqlWorkflows.layer,
        Adapters.storedOver(
          environment,
          Layer.mergeAll(
            Layer.succeed(SqlClient.SqlClient, client),
            Layer.succeed(Engine, "sqlite"),
            Layer.succeed(Notices, notices)
          )
        )
      ),
      books: booksOf(client),
      isStored: (id) =>
        client`SELECT 1 AS found FROM payment_variants WHERE transaction_id = ${id}`.pipe(
          Effect.map((found) => found.length > 0),
          Effect.orDie
        ),
      storedWith: (text) =>
        client`SELECT raw FROM payment_variants WHERE instr(raw, ${text}) > 0`.pipe(
          Effect.map((found) => decode.variants(found)[0]?.raw),
          Effect.orDie
        )
    } satisfies OpenStore
  })

const failure = (operation: string) =>
  new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: undefined, message: "simulated", operation }) })

const SAVEPOINT = "simulated_transaction"
const COMMIT = `RELEASE SAVEPOINT ${SAVEPOINT}`
const ROLLBACK = `ROLLBACK TO SAVEPOINT ${SAVEPOINT}`

const isWrite = (sql: string): boolean => /^\s*(?:INSERT|UPDATE|DELETE)/u.test(sql)

const isControl = (sql: string) => /^(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/u.test(sql)

/** What a place is called: the verb and the table, without values. */
const placeOf = (sql: string): string => {
  const [verb = ""] = /^\s*\w+/u.exec(sql) ?? []
  const [, table = ""] = /(?:INTO|UPDATE|FROM)\s+"?(\w+)/iu.exec(sql) ?? []
  return `${verb.trim()} ${table}`.trim()
}

const sqlTime = (milliseconds: number) => `'${new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ")}'`

/** Effect's engine takes the time from the store. It gets virtual time there. */
const atVirtualTime = (sql: string, now: number): string =>
  sql.includes("CURRENT_TIMESTAMP") || sql.includes("'now'")
    ? sql.replaceAll("DATETIME('now', '-10 minute')", sqlTime(now - 600_000)).replaceAll(
      "CURRENT_TIMESTAMP",
      sqlTime(now)
    )
    : sql

interface Opened {
  readonly client: SqlClient.SqlClient
  readonly notices: Notices["Service"]
}

/** The client of one process. `now`: milliseconds. */
const layerClient = (store: Opened, { dice, faults, gate, moods }: Reach, now: () => number) => {
  const passing = <A>(
    sql: string,
    execute: (sql: string) => Effect.Effect<A, SqlError.SqlError>
  ): Effect.Effect<A, SqlError.SqlError> => {
    const run = Effect.suspend(() => execute(atVirtualTime(sql, now())))
    // The store itself takes back what a dead process has left open.
    if (sql.startsWith("ROLLBACK")) return run
    const struck = Effect.suspend(() => {
      if (sql === COMMIT) {
        if (faults.strikes("commit-fails", 0.02)) return Effect.fail(failure("commit"))
        return faults.strikes("commit-unknown", 0.02) ? Effect.andThen(run, Effect.fail(failure("commit"))) : run
      }
      if (isControl(sql)) return run
      const mood = moods.moodFor(isWrite(sql))
      if (mood === "fails") return Effect.fail(failure("execute"))
      if (mood === "waits") return Effect.andThen(moods.answered, run)
      if (faults.strikes("store-fails", 0.005)) return Effect.fail(failure("execute"))
      return faults.strikes("store-slow", 0.01) ? Effect.delay(run, dice.between(1, 1_000)) : run
    })
    return gate.around(placeOf(sql))(struck)
  }
  const gated = (connection: SqlConnection.Connection): SqlConnection.Connection => ({
    execute: (sql, params, transform) => passing(sql, (at) => connection.execute(at, params, transform)),
    executeRaw: (sql, params) => passing(sql, (at) => connection.executeRaw(at, params)),
    executeStream: connection.executeStream,
    executeValues: (sql, params) => passing(sql, (at) => connection.executeValues(at, params)),
    executeValuesUnprepared: (sql, params) => passing(sql, (at) => connection.executeValuesUnprepared(at, params)),
    executeUnprepared: (sql, params, transform) =>
      passing(sql, (at) => connection.executeUnprepared(at, params, transform))
  })
  const client = SqlClient.make({
    // A process that stands still finishes its transactions: otherwise it would hold the one connection.
    acquirer: Effect.andThen(gate.thawed, Effect.map(store.client.reserve, gated)),
    compiler: Statement.makeCompilerSqlite(),
    driver: "simulated",
    spanAttributes: [],
    prepareTransactionControls: true,
    // As the store's own client: its connection is lent within a transaction that ends when it is given back.
    beginTransaction: `SAVEPOINT ${SAVEPOINT}`,
    commit: COMMIT,
    rollback: ROLLBACK,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    onCommitFailure: (connection) => Effect.ignore(connection.executeUnprepared(ROLLBACK, [], undefined))
  })
  return Layer.mergeAll(
    Layer.effect(SqlClient.SqlClient, client).pipe(Layer.provide(Reactivity.layer)),
    Layer.succeed(Engine, "sqlite"),
    Layer.succeed(Notices, store.notices)
  )
}
