/**
 * Processor time of a stored quote and of a price, by one transfer host on SQLite, in rounds that take turns with quotes by
 * the other commit. What a host takes without requests, for its chains, is measured before and subtracted. Other
 * work on the machine changes processor time less than it changes requests a second.
 */
import { Effect } from "effect"
import { against } from "../../../http/testing/load/Against.ts"
import { closedLoop, percentile } from "../../../http/testing/load/ClosedLoop.ts"
import { freePort } from "../../../http/testing/load/FreePort.ts"
import { nativeRequest } from "../../testing/Client.ts"
import { startHost } from "../../testing/HostProcess.ts"
import { processorMs } from "../../testing/load/ProcessorTime.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const CONNECTIONS = 32
const USERS = 10
const ROUND_MS = 5_000
/** V8 compiles during the first rounds. */
const WARM_UP = 7
const ROUNDS = 7

/** Milliseconds for which a host's own work is measured. */
const IDLE_MS = 5_000

const program = Effect.gen(function*() {
  const { chains, environment, user } = yield* startNetwork
  const users = Array.from({ length: USERS }, (_, index) => user(index))
  let next = 0
  const body = () => JSON.stringify(nativeRequest(users[next++ % USERS] ?? "", chains.alpha, chains.beta, 10n ** 15n))
  const started = Effect.fnUntraced(function*(root: string | undefined) {
    const port = yield* Effect.promise(freePort)
    const settings = { TRANSFER_PORT: `${port}`, DATABASE_URL: `${environment["DATABASE_URL"]}.${port}` }
    const host = yield* startHost({ ...environment, ...settings }, root)
    const [from, worked] = [performance.now(), processorMs(host.pid)]
    yield* Effect.sleep(IDLE_MS)
    return { port, pid: host.pid, idle: (processorMs(host.pid) - worked) / (performance.now() - from) }
  })
  const here = yield* started(undefined)
  const there = against === undefined ? undefined : yield* started(against)
  const priced = { name: "a price", path: "/price" }
  const quoted = { name: "a quote", path: "/quote" }
  const cases = [
    ...(there === undefined ? [] : [{ ...quoted, ...there, name: "a quote, by the other commit" }]),
    { ...quoted, ...here },
    { ...priced, ...here }
  ].map((each) => ({ ...each, micros: new Array<number>(), p99: new Array<number>() }))

  for (let turn = 0; turn < WARM_UP + ROUNDS; turn += 1) {
    for (const { idle, micros, p99, path, pid, port } of cases) {
      const [from, worked] = [performance.now(), processorMs(pid)]
      const load = { host: "127.0.0.1", port, method: "POST" as const, path: () => path, body }
      const measured = yield* Effect.promise(() => closedLoop({ ...load, connections: CONNECTIONS, ms: ROUND_MS }))
      if (measured.failures > 0) {
        throw new Error(`${measured.failures} requests of ${path} failed, the first answer: ${measured.sample}`)
      }
      const ms = performance.now() - from
      if (turn < WARM_UP) continue
      micros.push((processorMs(pid) - worked - idle * ms) * 1_000_000 / (measured.perSecond * ms))
      p99.push(measured.p99)
    }
  }
  const ordered = (values: ReadonlyArray<number>) => values.toSorted((one, other) => one - other)
  const at = (values: ReadonlyArray<number>, digits: number) =>
    [0, 0.5, 1].map((share) => percentile(values, share).toFixed(digits).padStart(8)).join("")
  process.stdout.write(
    `\nTransfer service: processor time of a request, ${CONNECTIONS} connections; least, median and most of ${ROUNDS} rounds\n` +
      `   ratio to the first row${"µs".padStart(24)}${"p99 ms".padStart(24)}\n`
  )
  for (const { micros, name, p99 } of cases) {
    const ratios = micros.map((each, round) => each / (cases[0]?.micros[round] ?? 1))
    process.stdout.write(`${at(ordered(ratios), 3)}${at(ordered(micros), 0)}${at(ordered(p99), 1)}  ${name}\n`)
  }
})

await Effect.runPromise(Effect.scoped(program))
