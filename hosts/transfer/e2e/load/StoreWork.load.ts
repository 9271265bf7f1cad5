/**
 * What a request, a fill and an idle worker ask of a store of 10^3 and of 10^6 requests: statements, and the pages that
 * PostgreSQL touches for them. Counts, so a busy machine does not change them. Then the tables that are read from end to
 * end, on both engines. `BENCH_REQUESTS` replaces 10^6, which needs some 10 GB of disk for each engine.
 */
import { ConfigProvider, Effect, Layer, Logger, Redacted } from "effect"
import { parseEther } from "viem"
import { layerDatabase } from "../../../../adapters/storage/engine/Database.ts"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { ended, nativeRequest, quote, sendDeposit } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { addKeys } from "../../testing/Keys.ts"
import { growPostgres, growSqlite } from "../../testing/load/CopiedRows.ts"
import { workOnPostgres, workOnSqlite } from "../../testing/load/StatementWork.ts"
import type { StatementWork } from "../../testing/load/StatementWork.ts"
import { countStatements } from "../../testing/StatementCounts.ts"
import type { StatementKind } from "../../testing/StatementCounts.ts"
import type { Network } from "../../testing/TransferNetwork.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { untilAnswers } from "../../testing/UntilAnswers.ts"
import { layerMeasuredHost } from "../../TransferHost.ts"

const SMALL = 1_000
const large = Number(process.env["BENCH_REQUESTS"] ?? 1_000_000)
const KEY = "measured"
const headers = { "x-api-key": KEY }
const REPEATS = 5
const IDLE_SECONDS = 20
/** Requests that are really made, of which all others are copies: two that were filled, two that wait. */
const ORIGINALS = 4

interface Store {
  readonly name: string
  readonly url: string
  readonly settings: Readonly<Record<string, string>>
  /** Adds copies of everything, until there are so many of each. */
  readonly grow: (from: number, to: number) => Effect.Effect<void>
  readonly work: (kinds: ReadonlyArray<StatementKind>) => Effect.Effect<StatementWork>
}

const postgres = Effect.gen(function*() {
  const programs = requirePostgres()
  if (programs === undefined) return []
  const server = yield* PostgresServer.start(programs, ["max_wal_size=4GB", "shared_buffers=256MB"])
  const url = yield* server.createDatabase
  const opened = Layer.fresh(layerDatabase(url))
  return [{
    name: "PostgreSQL",
    url: Redacted.value(url),
    settings: { RUNNER_PORT: `${yield* anyFree}` },
    grow: (from, to) => Effect.orDie(Effect.provide(growPostgres(from, to), opened)),
    work: (kinds) => Effect.orDie(Effect.provide(workOnPostgres(kinds), opened))
  }] satisfies ReadonlyArray<Store>
})

const sqlite = (url: string): Store => ({
  name: "SQLite",
  url,
  settings: {},
  grow: (from, to) => Effect.sync(() => growSqlite(url.slice("sqlite:".length), from, to)),
  work: (kinds) => Effect.sync(() => workOnSqlite(url.slice("sqlite:".length), kinds))
})

const actions = ({ chains, environment, user }: Network) => {
  const url = `http://127.0.0.1:${environment["TRANSFER_PORT"] ?? ""}`
  const quoted = (index: number, changes: object = {}) =>
    quote(url, nativeRequest(user(index), chains.alpha, chains.beta, parseEther("0.1"), changes), headers)
  const filled = Effect.gen(function*() {
    const made = yield* quoted(0)
    yield* sendDeposit(chains.alpha, chains.users[0] ?? "0x", made)
    yield* ended(url, made)
    return made
  })
  const listed = (query: string) =>
    Effect.map(get(`${url}/requests${query}`, { headers }), ({ json, status, text }) => {
      if (status !== 200) throw new Error(`GET /requests${query}: ${status} ${text}`)
      return json()
    })
  const continuationOf = (page: unknown): string => /"continuation":"([^"]+)"/.exec(JSON.stringify(page))?.[1] ?? ""
  return { url, quoted, filled, listed, continuationOf }
}

/** What each action asks of the store; `idle`: of a worker without work, in a minute. */
const measured = (network: Network, store: Store) =>
  Effect.scoped(Effect.gen(function*() {
    const { filled, listed, quoted, continuationOf, url } = actions(network)
    const statements = countStatements()
    const settings = { ...network.environment, ...store.settings, DATABASE_URL: store.url, HUB_ALLOCATOR: NOBODY }
    yield* Layer.build(layerMeasuredHost.pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings))),
      Layer.provide(statements.layer)
    ))
    yield* untilAnswers(`${url}/ready`)
    // Warm, and beyond what a start does once.
    const first = yield* filled
    const id = first.steps[0]?.requestId ?? ""
    let page = yield* listed("?limit=50")
    for (let deep = 0; deep < 12 && continuationOf(page) !== ""; deep += 1) {
      page = yield* listed(`?limit=50&continuation=${continuationOf(page)}`)
    }
    yield* Effect.sleep("10 seconds")
    const take = () => {
      const taken = [...statements.rows("fillings"), ...statements.rows("others")]
      statements.reset()
      return taken
    }
    const begun = take()
    yield* Effect.sleep(IDLE_SECONDS * 1_000)
    const idle = take()
    const loops = new Set(idle.map(({ text }) => text))
    const workOf = Effect.fnUntraced(function*(kinds: ReadonlyArray<StatementKind>, times: number) {
      const { growing, pages } = yield* store.work(kinds)
      const count = kinds.reduce((sum, each) => sum + each.count, 0)
      return { statements: count * times, pages: pages * times, growing }
    })
    const of = Effect.fnUntraced(function*(times: number, action: Effect.Effect<unknown>) {
      statements.reset()
      yield* Effect.forEach(Array.from({ length: times }), () => action)
      return yield* workOf(take().filter(({ text }) => !loops.has(text)), 1 / times)
    })
    return {
      "a start, a fill and ten seconds": yield* workOf(begun, 1),
      "an idle minute": yield* workOf(idle, 60 / IDLE_SECONDS),
      "POST /quote": yield* of(REPEATS, quoted(1)),
      "GET /intents/status": yield* of(REPEATS, get(`${url}/intents/status?requestId=${id}`)),
      "GET /requests": yield* of(REPEATS, listed("?limit=20")),
      "GET /requests, a deep page": yield* of(REPEATS, listed(`?limit=20&continuation=${continuationOf(page)}`)),
      "GET /requests by user": yield* of(REPEATS, listed(`?limit=20&user=${network.user(0)}`)),
      "GET /requests by status": yield* of(REPEATS, listed("?limit=20&status=success")),
      "GET /requests by hash": yield* of(REPEATS, listed(`?txHash=0x${"ab".repeat(32)}`)),
      "GET /requests/summary": yield* of(1, listed("/summary")),
      "GET /metrics": yield* of(REPEATS, get(`${url}/metrics`)),
      "a fill": yield* of(2, Effect.andThen(filled, Effect.sleep("1 second")))
    }
  }))

const NOBODY = `0x${"a1".repeat(20)}`

const table = Effect.fnUntraced(function*(network: Network, store: Store) {
  yield* Effect.orDie(addKeys(store.url, [KEY]))
  const { filled, quoted } = actions(network)
  yield* Effect.scoped(Effect.gen(function*() {
    const settings = { ...network.environment, ...store.settings, DATABASE_URL: store.url, HUB_ALLOCATOR: NOBODY }
    yield* Layer.build(
      layerMeasuredHost.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings))))
    )
    yield* untilAnswers(`${actions(network).url}/ready`)
    yield* filled
    yield* filled
    yield* quoted(0)
    yield* quoted(1)
    yield* Effect.sleep("2 seconds")
  }))
  yield* store.grow(1, SMALL / ORIGINALS)
  const few = new Map(Object.entries(yield* measured(network, store)))
  yield* store.grow(SMALL / ORIGINALS, large / ORIGINALS)
  const many = yield* measured(network, store)
  const lines = Object.entries(many).map(([name, { growing, pages, statements }]) => {
    const before = few.get(name)
    const reads = [...growing].map(([what, text]) =>
      `\n              reads ${what}: ${text.replaceAll(/\s+/g, " ").slice(0, 160)}`
    )
    return `${(before?.statements ?? 0).toFixed(1).padStart(9)} ${statements.toFixed(1).padStart(9)} ${
      (before?.pages ?? 0).toFixed(0).padStart(9)
    } ${pages.toFixed(0).padStart(9)} ${(pages / (before?.pages ?? 0)).toFixed(2).padStart(7)}  ${name}${
      reads.join("")
    }`
  })
  yield* Effect.sync(() =>
    process.stdout.write(
      `\n${store.name}: ${SMALL} and ${large} requests\n  statements                    pages               ratio\n${
        lines.join("\n")
      }\n`
    )
  )
})

await Effect.runPromise(Effect.scoped(
  Effect.gen(function*() {
    const network = yield* startNetwork
    for (const store of [...(yield* postgres), sqlite(network.store)]) yield* table(network, store)
  }).pipe(Effect.provide(Logger.layer([])))
))
