/**
 * What grows with use: quotes and status reads a second on a store of 10^3 and of 10^6 requests, and the resident
 * memory of the host after 20,000 and after 100,000 quotes. `BENCH_REQUESTS` replaces 10^6, which needs 8 GB of disk.
 */
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { privateKeyToAccount } from "viem/accounts"
import type { Load } from "../../../http/testing/load/ClosedLoop.ts"
import { closedLoop } from "../../../http/testing/load/ClosedLoop.ts"
import { MEASURED_CORE, moveAside, startPinned, stopPinned } from "../../../http/testing/load/Pinned.ts"
import { nativeRequest } from "../../testing/Client.ts"
import type { TestChains } from "../../testing/TestChains.ts"
import { residentMb } from "../../testing/load/ResidentMemory.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const CONNECTIONS = 32
const ROUND_MS = 5_000
const many = Number(process.env["BENCH_REQUESTS"] ?? 1_000_000)

const host = (environment: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      startPinned(join(import.meta.dirname, "../../main.ts"), [], "listening on", { core: MEASURED_CORE, environment })
    ),
    (child) => Effect.promise(() => stopPinned(child))
  )

const loadsOf = (port: number, chains: TestChains) => {
  const users = chains.users.map((key) => privateKeyToAccount(key).address)
  let next = 0
  const parts = { host: "127.0.0.1", port, connections: CONNECTIONS, ms: ROUND_MS } as const
  const quotes: Load = {
    ...parts,
    method: "POST",
    path: () => "/quote",
    body: () => JSON.stringify(nativeRequest(users[next++ % users.length] ?? "", chains.alpha, chains.beta, 10n ** 15n))
  }
  const statusOf = (id: string): Load => ({ ...parts, method: "GET", path: () => `/intents/status?requestId=${id}` })
  return { quotes, statusOf }
}

const idOf = (quote: string): string => /"requestId":"(0x[0-9a-f]+)"/.exec(quote)?.[1] ?? ""

/** Copies the first request under new ids until the store has `count` requests. */
const fill = (file: string, count: number): void => {
  const store = new DatabaseSync(file)
  store.exec("PRAGMA synchronous = OFF")
  const columns = store.prepare("SELECT name FROM pragma_table_info('transfers')").all().map(({ name }) => String(name))
  const copied = columns.map((name) =>
    name === "id" || name === "order_id" ? `'0x' || lower(hex(randomblob(32)))` : name
  )
  store.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
              INSERT INTO transfers (${columns.join(", ")}) SELECT ${
    copied.join(", ")
  } FROM (SELECT * FROM transfers LIMIT 1), n`)
  store.exec(
    "INSERT INTO transfer_events (transfer_id, sequence, status, fail_reason, at) SELECT id, 0, status, NULL, quoted_at FROM transfers WHERE id NOT IN (SELECT transfer_id FROM transfer_events)"
  )
  store.close()
}

const sized = (size: number) =>
  Effect.scoped(Effect.gen(function*() {
    const { chains, environment } = yield* startNetwork
    const { quotes, statusOf } = loadsOf(Number(environment["TRANSFER_PORT"]), chains)
    const first = yield* Effect.scoped(
      Effect.andThen(host(environment), Effect.promise(() => closedLoop({ ...quotes, connections: 1, ms: 1 })))
    )
    fill((environment["DATABASE_URL"] ?? "").slice("sqlite:".length), size)
    yield* host(environment)
    yield* Effect.promise(() => closedLoop(quotes))
    const quoted = yield* Effect.promise(() => closedLoop(quotes))
    const read = yield* Effect.promise(() => closedLoop(statusOf(idOf(first.sample))))
    return { quotes: quoted.perSecond, statuses: read.perSecond }
  }))

const memory = Effect.scoped(Effect.gen(function*() {
  const { chains, environment } = yield* startNetwork
  const child = yield* host(environment)
  const { quotes } = loadsOf(Number(environment["TRANSFER_PORT"]), chains)
  let made = 0
  const after: Array<number> = []
  for (const target of [20_000, 100_000]) {
    while (made < target) {
      const { perSecond } = yield* Effect.promise(() => closedLoop(quotes))
      made += Math.floor(perSecond * ROUND_MS / 1000)
    }
    after.push(residentMb(child.pid))
  }
  return after
}))

moveAside()
await Effect.runPromise(Effect.gen(function*() {
  const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))
  const small = yield* sized(1_000)
  const large = yield* sized(many)
  yield* say(`\nTransfer service: a store of ${many} requests beside one of 1000\n     ratio`)
  yield* say(`${(large.quotes / small.quotes).toFixed(2).padStart(10)}  quotes a second`)
  yield* say(`${(large.statuses / small.statuses).toFixed(2).padStart(10)}  status reads a second`)
  const [early = 0, late = 0] = yield* memory
  yield* say(
    `\nTransfer service: resident memory ${early.toFixed(0)} MB after 20,000 quotes, ${
      late.toFixed(0)
    } MB after 100,000 (aim: less than 30 MB more)`
  )
}))
