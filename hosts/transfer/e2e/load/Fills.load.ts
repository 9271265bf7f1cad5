/**
 * Latency from a mined deposit to its mined fill, over 50 transfers, ten at a time. Throughput in fills a second for
 * 200 deposits that arrive at once, by one process on SQLite, and by one and by two workers on PostgreSQL. Real chains
 * with a block every second and for every transaction. Nothing is pinned: chains, store and service share the machine.
 * `Workers.load.ts` measures processor time, beside another commit's.
 */
import { Effect, Redacted } from "effect"
import { createWalletClient, defineChain, http, parseEther } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { percentile } from "../../../http/testing/load/ClosedLoop.ts"
import type { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { ended, nativeRequest, quote, reader, sendDeposit } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import type { TestChains } from "../../testing/TestChains.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const TRANSFERS = 50
const AT_A_TIME = 10
const DEPOSITS = 200
const AMOUNT = parseEther("0.01")

const requestOf = (chains: TestChains, key: Hex) =>
  nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, AMOUNT)

/** Milliseconds from the deposit in a block to the fill in a block, as a client that polls sees both. */
const latencies = (url: string, chains: TestChains) =>
  Effect.forEach(
    chains.users.slice(0, AT_A_TIME),
    (key) =>
      Effect.forEach(Array.from({ length: TRANSFERS / AT_A_TIME }), () =>
        Effect.gen(function*() {
          const quoted = yield* quote(url, requestOf(chains, key))
          yield* sendDeposit(chains.alpha, key, quoted)
          const from = performance.now()
          yield* ended(url, quoted)
          return performance.now() - from
        })),
    { concurrency: "unbounded" }
  )

/** All deposits of one user, without waiting for blocks. */
const broadcast = (anvil: Anvil, key: Hex, quotes: ReadonlyArray<QuoteAnswer>) =>
  Effect.promise(async () => {
    const account = privateKeyToAccount(key)
    const chain = defineChain({
      id: anvil.chainId,
      name: "chain",
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [anvil.url] } }
    })
    const wallet = createWalletClient({ account, chain, transport: http() })
    const first = await reader(anvil).getTransactionCount({ address: account.address })
    for (const [index, { steps }] of quotes.entries()) {
      const data = steps.at(-1)?.items[0]?.data
      if (data === undefined) throw new Error("a quote without a deposit")
      await wallet.sendTransaction({
        to: data.to,
        data: data.data,
        value: BigInt(data.value),
        gas: BigInt(data.gas),
        maxFeePerGas: BigInt(data.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(data.maxPriorityFeePerGas),
        nonce: first + index
      })
    }
  })

/** Fills a second, from the first deposit sent to the last fill mined. */
const fillsASecond = Effect.fnUntraced(function*(url: string, chains: TestChains) {
  const each = DEPOSITS / chains.users.length
  const plans = yield* Effect.forEach(
    chains.users,
    (key) =>
      Effect.map(
        Effect.forEach(Array.from({ length: each }), () => quote(url, requestOf(chains, key))),
        (quotes) => ({ key, quotes })
      )
  )
  const paid = Effect.promise(() => reader(chains.beta).getTransactionCount({ address: chains.solver }))
  const before = yield* paid
  const from = performance.now()
  yield* Effect.forEach(plans, ({ key, quotes }) => broadcast(chains.alpha, key, quotes), {
    concurrency: "unbounded",
    discard: true
  })
  yield* paid.pipe(
    Effect.tap((now) => now >= before + DEPOSITS ? Effect.void : Effect.sleep(50)),
    Effect.repeat({ until: (now) => now >= before + DEPOSITS })
  )
  return DEPOSITS / ((performance.now() - from) / 1000)
})

const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))

const onSqlite = Effect.scoped(Effect.gen(function*() {
  const { chains, startHost } = yield* startNetwork
  const { url } = yield* startHost()
  const sorted = (yield* latencies(url, chains)).flat().toSorted((one, other) => one - other)
  yield* say(`\nTransfer service: deposit mined to fill mined, ${TRANSFERS} transfers, ${AT_A_TIME} at a time`)
  yield* say(
    `  median ${percentile(sorted, 0.5).toFixed(0)} ms, p90 ${percentile(sorted, 0.9).toFixed(0)} ms, most ${
      percentile(sorted, 1).toFixed(0)
    } ms (aim: a median of at most 1500 ms, a block and a half second)`
  )
  return yield* fillsASecond(url, chains)
}))

const onPostgres = (programs: PostgresServer.PostgresPrograms, workers: number) =>
  Effect.scoped(Effect.gen(function*() {
    const { chains, environment, startHost } = yield* startNetwork
    const server = yield* PostgresServer.start(programs)
    const shared = { ...environment, DATABASE_URL: Redacted.value(yield* server.createDatabase) }
    const api = yield* startHost(shared)
    for (let worker = 0; worker < workers; worker += 1) {
      yield* spawnHost("worker", { ...shared, RUNNER_PORT: `${yield* anyFree}` })
    }
    return yield* fillsASecond(api.url, chains)
  }))

await Effect.runPromise(Effect.gen(function*() {
  const embedded = yield* onSqlite
  const programs = requirePostgres()
  const rows: Array<readonly [string, number]> = [["one process on SQLite", embedded]]
  if (programs !== undefined) {
    for (const workers of [1, 2]) {
      rows.push([`${workers} worker${workers === 1 ? "" : "s"} on PostgreSQL`, yield* onPostgres(programs, workers)])
    }
  }
  yield* say(`\nTransfer service: ${DEPOSITS} deposits at once, all filled\n     ratio   fills a second`)
  for (const [name, perSecond] of rows) {
    yield* say(`${(perSecond / embedded).toFixed(2).padStart(10)} ${perSecond.toFixed(1).padStart(16)}  ${name}`)
  }
}))
