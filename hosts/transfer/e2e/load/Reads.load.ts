/**
 * Processor time of reads: status, chains, a document and a route that does nothing, by one transfer host on SQLite,
 * beside a bare `node:http` handler in the same run. Loads and hosts take turns, so a busy machine disturbs all alike.
 * What the host takes without requests, for its chains, is measured before and subtracted.
 */
import { Effect } from "effect"
import { join } from "node:path"
import { against } from "../../../http/testing/load/Against.ts"
import { closedLoop, percentile } from "../../../http/testing/load/ClosedLoop.ts"
import { freePort } from "../../../http/testing/load/FreePort.ts"
import { startPinned, stopPinned } from "../../../http/testing/load/Pinned.ts"
import { nativeRequest, quote } from "../../testing/Client.ts"
import { startHost } from "../../testing/HostProcess.ts"
import { processorMs } from "../../testing/load/ProcessorTime.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const CONNECTIONS = 8
const ROUND_MS = 1_000
/** V8 compiles during the first rounds. */
const WARM_UP = 3
const ROUNDS = 5

const bare = join(import.meta.dirname, "../../../http/testing/load/BareServer.ts")

/** Milliseconds for which a server's own work is measured. */
const IDLE_MS = 5_000

interface Server {
  readonly port: number
  readonly pid: number
  /** The share of a processor that it takes without requests. */
  readonly idle: number
}

const measured = Effect.fnUntraced(function*(port: number, pid: number) {
  const [from, worked] = [performance.now(), processorMs(pid)]
  yield* Effect.sleep(IDLE_MS)
  return { port, pid, idle: (processorMs(pid) - worked) / (performance.now() - from) } satisfies Server
})

const bareServer = (answer: string) =>
  Effect.gen(function*() {
    const port = yield* Effect.promise(freePort)
    const child = yield* Effect.acquireRelease(
      Effect.promise(() => startPinned(bare, [`${port}`], "listening", { input: answer })),
      (started) => Effect.promise(() => stopPinned(started))
    )
    return yield* measured(port, child.pid ?? 0)
  })

interface Case {
  readonly name: string
  readonly server: Server
  readonly path: string
  readonly micros: Array<number>
}

/** Microseconds of processor time for one request. */
const round = async ({ path, server: { idle, pid, port } }: Case): Promise<number> => {
  const [from, worked] = [performance.now(), processorMs(pid)]
  const { failures, perSecond } = await closedLoop({
    host: "127.0.0.1",
    port,
    method: "GET",
    path: () => path,
    connections: CONNECTIONS,
    ms: ROUND_MS
  })
  if (failures > 0) throw new Error(`${failures} requests of ${path} failed`)
  const ms = performance.now() - from
  return (processorMs(pid) - worked - idle * ms) * 1_000_000 / (perSecond * ms)
}

const program = Effect.gen(function*() {
  const { chains, environment, user } = yield* startNetwork
  const started = Effect.fnUntraced(function*(root: string | undefined) {
    const port = yield* Effect.promise(freePort)
    const settings = { TRANSFER_PORT: `${port}`, DATABASE_URL: `${environment["DATABASE_URL"]}.${port}` }
    const { pid, url } = yield* startHost({ ...environment, ...settings }, root)
    const quoted = yield* quote(url, nativeRequest(user(0), chains.alpha, chains.beta, 10n ** 15n))
    const status = quoted.steps[0]?.items[0]?.check?.endpoint ?? ""
    return { server: yield* measured(port, pid), url, status }
  })
  const hosts = [{ name: "", ...(yield* started(undefined)) }]
  if (against !== undefined) hosts.push({ name: ", by the other commit", ...(yield* started(against)) })
  const answer = yield* Effect.promise(async () => (await fetch(`${hosts[0]?.url}${hosts[0]?.status}`)).text())
  const cases: ReadonlyArray<Case> = [
    { name: "bare node:http handler, the bytes of a status", server: yield* bareServer(answer), path: "/", micros: [] },
    ...hosts.flatMap(({ name, server, status }) =>
      [
        { name: `status of a quote${name}`, path: status },
        { name: `GET /chains${name}`, path: "/chains" },
        { name: `GET /openapi.json${name}`, path: "/openapi.json" },
        { name: `GET /lives${name}`, path: "/lives" }
      ].map((each) => ({ ...each, server, micros: [] }))
    )
  ]
  for (let turn = 0; turn < WARM_UP + ROUNDS; turn += 1) {
    for (const each of cases) {
      const micros = yield* Effect.promise(() => round(each))
      if (turn >= WARM_UP) each.micros.push(micros)
    }
  }
  process.stdout.write("\nTransfer service: processor time of a read, in microseconds, the median of the rounds\n")
  const base = percentile(cases[0]?.micros.toSorted((one, other) => one - other) ?? [], 0.5)
  for (const { micros, name } of cases) {
    const median = percentile(micros.toSorted((one, other) => one - other), 0.5)
    process.stdout.write(`${(median / base).toFixed(2).padStart(10)} ${median.toFixed(0).padStart(10)} µs  ${name}\n`)
  }
})

await Effect.runPromise(Effect.scoped(program))
