/**
 * What many deposit addresses cost a host that watches them: statements, requests to the nodes and milliseconds of the
 * processor in a minute without payments; then the same for a payment to one of them, and how long it takes from the
 * payment to the fill. On SQLite, with two local chains. All but a few addresses are copies in the store, so they are
 * read like any other but nobody pays them. `BENCH_ADDRESSES` replaces 100,000.
 */
import { ConfigProvider, Effect, Layer, Logger } from "effect"
import { DatabaseSync } from "node:sqlite"
import { layerMeasuredHost } from "../../TransferHost.ts"
import { addressFor, payTo } from "../../testing/Addressed.ts"
import { ended, nativeRequest } from "../../testing/Client.ts"
import { growSqlite } from "../../testing/load/CopiedRows.ts"
import { countedNodes } from "../../testing/load/CountedNodes.ts"
import { processorMs } from "../../testing/load/ProcessorTime.ts"
import { residentMb } from "../../testing/load/ResidentMemory.ts"
import { NOBODY, startHost } from "../../testing/HostProcess.ts"
import { countStatements } from "../../testing/StatementCounts.ts"
import { ETH } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import type { Network } from "../../testing/TransferNetwork.ts"
import { untilAnswers } from "../../testing/UntilAnswers.ts"

const FEW = 10
/** Requests that are really made, of which all others are copies. */
const ORIGINALS = 5
const many = Number(process.env["BENCH_ADDRESSES"] ?? 100_000)
const HOUR_MS = 3_600_000
const IDLE_SECONDS = 30
const A_MINUTE = 60 / IDLE_SECONDS
const PAYMENTS = 3
/** Until all loops have begun. */
const BEGIN = "15 seconds"

/** Addresses whose quotes were made one after the other, the newest just now. */
interface Layout {
  readonly name: string
  readonly count: number
  readonly overMs: number
}

/** Two weeks: by then an address that nobody paid is dropped. */
const layouts: ReadonlyArray<Layout> = [
  { name: `${FEW} addresses of the last hour`, count: FEW, overMs: HOUR_MS / 2 },
  { name: `${many} addresses of the last two weeks`, count: many, overMs: 14 * 24 * HOUR_MS },
  { name: `${many} addresses of the last hour`, count: many, overMs: 0.9 * HOUR_MS }
]

/** In this process, where its statements are counted. */
const host = Effect.fnUntraced(function*({ environment }: Network) {
  const statements = countStatements()
  yield* Layer.build(layerMeasuredHost.pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ ...environment, HUB_ALLOCATOR: NOBODY }))),
    Layer.provide(statements.layer)
  ))
  const url = `http://127.0.0.1:${environment["TRANSFER_PORT"] ?? ""}`
  yield* untilAnswers(`${url}/ready`)
  return { url, statements }
})

const quotedOn = ({ chains, fresh, user }: Network, url: string) =>
  addressFor(
    url,
    nativeRequest(user(0), chains.alpha, chains.beta, ETH.some, { recipient: fresh(), refundTo: fresh() })
  )

/** Milliseconds from the payment to its fill. */
const paid = Effect.fnUntraced(function*(network: Network, url: string) {
  const { chains } = network
  const { depositAddress, quoted } = yield* quotedOn(network, url)
  const sent = Date.now()
  yield* payTo(chains.alpha, chains.users[1] ?? "0x", depositAddress, ETH, ETH.some)
  const { status } = yield* ended(url, quoted)
  if (status !== "success") return yield* Effect.die(new Error(`a payment among many ended as ${status}`))
  return Date.now() - sent
})

/** The first requests, each of which has an address. */
const original = (network: Network) =>
  Effect.scoped(Effect.gen(function*() {
    const { url } = yield* host(network)
    for (let made = 0; made < ORIGINALS; made += 1) yield* quotedOn(network, url)
  }))

/** Spreads the addresses over the time, as if each had been made then. */
const spread = (file: string, { count, overMs }: Layout) =>
  Effect.sync(() => {
    const store = new DatabaseSync(file)
    const at = `${Date.now()} - (row_number() OVER (ORDER BY address)) * ${overMs / count}`
    store.exec(`UPDATE deposit_addresses SET touched_at = o.at, created_at = o.at
                FROM (SELECT address, CAST(${at} AS INTEGER) AS at FROM deposit_addresses) o
                WHERE o.address = deposit_addresses.address`)
    store.close()
  })

/** Statements of a minute without payments and of a payment, and how long its fill takes. */
const stored = (network: Network) =>
  Effect.scoped(Effect.gen(function*() {
    const { statements, url } = yield* host(network)
    // Warm, and beyond what a start does once.
    yield* paid(network, url)
    yield* Effect.sleep(BEGIN)
    const take = () => {
      const kinds = [...statements.rows("fillings"), ...statements.rows("others")]
      statements.reset()
      return kinds
    }
    const count = (kinds: ReturnType<typeof take>) => kinds.reduce((sum, each) => sum + each.count, 0)
    take()
    yield* Effect.sleep(IDLE_SECONDS * 1_000)
    const idle = take()
    const loops = new Set(idle.map(({ text }) => text))
    const waits: Array<number> = []
    for (let index = 0; index < PAYMENTS; index += 1) waits.push(yield* paid(network, url))
    return {
      idle: count(idle) * A_MINUTE,
      payment: count(take().filter(({ text }) => !loops.has(text))) / PAYMENTS,
      seconds: waits.map((ms) => ms / 1_000)
    }
  }))

/** What a process of its own takes, and asks its nodes, in a minute without payments. */
const taken = (network: Network) =>
  Effect.scoped(Effect.gen(function*() {
    const { chains: { alpha, beta }, environment } = network
    const nodes = yield* countedNodes
    const urls = { ALPHA_RPC_URL: nodes.urlOf(alpha), BETA_RPC_URL: nodes.urlOf(beta) }
    const { pid } = yield* startHost({ ...environment, ...urls })
    yield* Effect.sleep(BEGIN)
    yield* nodes.take
    const before = processorMs(pid)
    yield* Effect.sleep(IDLE_SECONDS * 1_000)
    const { calls, requests } = yield* nodes.take
    return {
      requests: requests * A_MINUTE,
      processor: (processorMs(pid) - before) * A_MINUTE,
      resident: residentMb(pid),
      calls: calls.slice(0, 6).map(([methods, times]) => `${times * A_MINUTE} ${methods.slice(0, 100)}`)
    }
  }))

const measured = Effect.fnUntraced(function*(network: Network, file: string, layout: Layout) {
  yield* spread(file, layout)
  const { calls, processor, requests, resident } = yield* taken(network)
  const { idle, payment, seconds } = yield* stored(network)
  return {
    calls,
    seconds,
    counts: {
      "statements, an idle minute": idle,
      "requests to the nodes, an idle minute": requests,
      "ms of the processor, an idle minute": processor,
      "MB of memory": resident,
      "statements of a payment": payment
    }
  }
})

await Effect.runPromise(Effect.scoped(
  Effect.gen(function*() {
    const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))
    const network = yield* startNetwork
    const file = network.store.slice("sqlite:".length)
    yield* original(network)
    // Before anything is paid: copies of payments would take sequences of the accounts that pay.
    yield* Effect.sync(() => growSqlite(file, 1, FEW / ORIGINALS))
    let copies = FEW / ORIGINALS
    let few: ReadonlyArray<number> | undefined
    for (const layout of layouts) {
      const wanted = layout.count / ORIGINALS
      if (wanted > copies) {
        yield* Effect.sync(() => growSqlite(file, copies, wanted))
        copies = wanted
      }
      const { calls, counts, seconds } = yield* measured(network, file, layout)
      const base = few ??= Object.values(counts)
      yield* say(`\n${layout.name}\n               ratio`)
      for (const [index, [what, value]] of Object.entries(counts).entries()) {
        const ratio = (value / (base[index] ?? 1)).toFixed(2)
        yield* say(`${value.toFixed(0).padStart(10)} ${ratio.padStart(9)}  ${what}`)
      }
      yield* say(`  seconds from a payment to its fill: ${seconds.map((each) => each.toFixed(1)).join(", ")}`)
      yield* say(calls.map((line) => `    ${line}`).join("\n"))
    }
  }).pipe(Effect.provide(Logger.layer([])))
))
