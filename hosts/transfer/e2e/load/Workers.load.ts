/**
 * What a fill costs a worker, beside another commit's (`npm run bench -- --against COMMIT load/Workers`): processor time
 * of a fill in steady state, the cost of the quorum, and how four workers scale that have a fifth of a core each. Real
 * chains with a block every second and for every transaction. EVM to EVM, native currency, quoted and signed before the
 * measurement.
 *
 * Processor time is what counts: it is the measured processes' own, whatever else the machine does. Each row has a
 * host, chains and a store of its own for the whole run, and the rows take turns.
 */
import { Effect } from "effect"
import type { PostgresPrograms } from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { against } from "../../../http/testing/load/Against.ts"
import { percentile } from "../../../http/testing/load/ClosedLoop.ts"
import { heldBy, holdToShare } from "../../testing/load/CoreShare.ts"
import { onPostgres, onSqlite } from "../../testing/load/MeasuredHosts.ts"
import { idle, steadyFills } from "../../testing/load/SteadyFills.ts"
import type { MeasuredFills, SteadyLoad } from "../../testing/load/SteadyFills.ts"

const ROUNDS = 5
/** Fills of a round. */
const FILLS = 40
/** Fills before the first round, while the code is compiled. */
const WARM_UP = 80
const AT_A_TIME = 20
const IDLE_SECONDS = 4

/** Of a core, for each worker of the rows that scale. */
const SHARE = 0.2
const WORKERS = 4
/** Deposits on their way for each worker: more than one with such a share can fill in a second. */
const AT_A_TIME_EACH = 40
const SCALE_FILLS = 80
const SCALE_ROUNDS = 3

const programs = requirePostgres()

const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))
const median = (values: ReadonlyArray<number>) => percentile(values.toSorted((one, other) => one - other), 0.5)
const column = (value: number, digits: number, width: number) => value.toFixed(digits).padStart(width)
const repeat = <A, E, R>(times: number, effect: Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: times }), () => effect)

/** The commits that are measured: the other one first, if there is one. */
const commits = [
  ...(against === undefined ? [] : [{ name: "the other commit", root: against }]),
  { name: "this commit", root: undefined }
]

const medianOf = (rounds: ReadonlyArray<MeasuredFills>): MeasuredFills => ({
  perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  each: median(rounds.map(({ each }) => each)),
  cores: median(rounds.map(({ cores }) => cores))
})

interface Measured extends MeasuredFills {
  readonly name: string
  /** Milliseconds of the processor a second, without anything to do. */
  readonly idle: number
}

/** Warms all of them up, then measures them in turns. */
const inTurns = Effect.fnUntraced(function*(loads: ReadonlyArray<SteadyLoad & { readonly name: string }>) {
  yield* Effect.forEach(loads, (load) => steadyFills(load, WARM_UP, AT_A_TIME))
  const idles = yield* Effect.forEach(loads, (load) => idle(load, IDLE_SECONDS), { concurrency: "unbounded" })
  const rounds = yield* repeat(ROUNDS, Effect.forEach(loads, (load) => steadyFills(load, FILLS, AT_A_TIME)))
  return loads.map(({ name }, index): Measured => ({
    ...medianOf(rounds.flatMap((each) => each[index] ?? [])),
    name,
    idle: idles[index] ?? 0
  }))
})

/** Ratios are to the first row. */
const print = (title: string, rows: ReadonlyArray<Measured>) =>
  Effect.gen(function*() {
    yield* say(`\n${title}`)
    yield* say("     ratio   ms of the processor a fill     ratio   fills a second   idle ms a second")
    for (const { each, idle, name, perSecond } of rows) {
      const [base] = rows
      yield* say(
        `${column(each / (base?.each ?? 1), 2, 10)} ${column(each, 1, 28)} ${
          column(perSecond / (base?.perSecond ?? 1), 2, 9)
        } ${column(perSecond, 1, 16)} ${column(idle, 0, 18)}  ${name}`
      )
    }
  })

const how = `the middle of ${ROUNDS} rounds of ${FILLS} fills, ${AT_A_TIME} deposits on their way`

/** Also the cost of the quorum, because its rows are compared with these. */
const onSqliteRows = Effect.scoped(Effect.gen(function*() {
  const alone = yield* Effect.forEach(
    commits,
    ({ name, root }) => Effect.map(onSqlite({ root }), (host) => ({ ...host, name }))
  )
  const quorums = yield* Effect.forEach(
    [["below", {}], ["above", { QUORUM_FROM_USD: "0" }]] as const,
    ([what, changes]) =>
      Effect.map(onSqlite({ endpoints: 3, changes }), (host) => ({
        ...host,
        name: `two of three endpoints agree, deposits ${what} QUORUM_FROM_USD`
      }))
  )
  const rows = yield* inTurns([...alone, ...quorums])
  const [single, agreed] = [rows.slice(0, alone.length), rows.slice(alone.length)]
  yield* print(`Transfer service: processor time of a fill, one process on SQLite, ${how}`, single)
  yield* print(
    "Transfer service: the cost of the quorum, in the same rounds",
    [...single.toReversed().map((row) => ({ ...row, name: `one endpoint, ${row.name}` })), ...agreed]
  )
}))

const onPostgresRows = (postgres: PostgresPrograms) =>
  Effect.scoped(Effect.gen(function*() {
    const hosts = yield* Effect.forEach(commits, ({ name, root }) =>
      Effect.map(onPostgres(postgres, { root }), (host) => ({ ...host, name })))
    yield* Effect.forEach(hosts, ({ growTo }) =>
      growTo(1), { discard: true })
    const rows = yield* inTurns(hosts)
    yield* print(`Transfer service: processor time of a fill, a worker alone on PostgreSQL, ${how}`, rows)
  }))

/**
 * The same hosts, first with one worker and then with four. The ratio by processor time is the one that workers reach
 * that get their whole share: on a busy machine they may not.
 */
const scaling = (postgres: PostgresPrograms) =>
  Effect.scoped(Effect.gen(function*() {
    const hosts = yield* Effect.forEach(commits, ({ name, root }) =>
      Effect.map(onPostgres(postgres, { root }), (host) => ({ ...host, name })))
    const held = (workers: number) =>
      Effect.gen(function*() {
        for (const host of hosts) {
          yield* host.growTo(workers)
          yield* steadyFills(host, WARM_UP * workers / 2, AT_A_TIME_EACH)
        }
        return yield* repeat(
          SCALE_ROUNDS,
          Effect.forEach(hosts, (host) =>
            Effect.scoped(Effect.andThen(
              holdToShare(host.pids(), SHARE),
              steadyFills(host, SCALE_FILLS * workers / 2, AT_A_TIME_EACH * workers)
            )))
        )
      })
    const [one, many] = [yield* held(1), yield* held(WORKERS)]
    yield* say(`\nTransfer service: workers on PostgreSQL, each held to ${SHARE} of a core (${heldBy})`)
    yield* say("     ratio   by processor time   fills a second   cores used   ms of the processor a fill")
    for (const [index, { name }] of hosts.entries()) {
      const [alone, together] = [one, many].map((rounds) =>
        medianOf(rounds.flatMap((each) => each[index] ?? []))
      )
      for (const [workers, row] of [[1, alone], [WORKERS, together]] as const) {
        if (row === undefined || alone === undefined) continue
        yield* say(
          `${column(row.perSecond / alone.perSecond, 2, 10)} ${column(workers * alone.each / row.each, 2, 19)} ${
            column(row.perSecond, 1, 16)
          } ${column(row.cores, 2, 12)} ${column(row.each, 1, 28)}  ${workers} worker${
            workers === 1 ? "" : "s"
          }, ${name}`
        )
      }
    }
  }))

await Effect.runPromise(onSqliteRows)
if (programs !== undefined) {
  await Effect.runPromise(onPostgresRows(programs))
  await Effect.runPromise(scaling(programs))
}
