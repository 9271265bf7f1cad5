/**
 * What a chain without transfers costs a host: statements of the store, requests to the chain's node and milliseconds of
 * the processor in a minute, by the number of chains; and what a start takes. All chains but one are copies of the local
 * one under other ids, answered from its node once a second by a process of its own. `BENCH_CHAINS` replaces the
 * numbers of chains.
 */
import { ConfigProvider, Effect, Layer, Logger, Schema } from "effect"
import { ConfigsFolder } from "../../../configuration/ConfigsFolder.ts"
import { configuredFolder } from "../../testing/ConfiguredFolder.ts"
import { countedNodes } from "../../testing/load/CountedNodes.ts"
import { countStatements } from "../../testing/StatementCounts.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { untilAnswers } from "../../testing/UntilAnswers.ts"
import { layerMeasuredHost } from "../../TransferHost.ts"

const SECONDS = 30
/** Until all loops have begun. */
const BEGIN = "20 seconds"
const FIRST_ID = 7_000_000
/** Of the copies. The original has a block each second. */
const BLOCK_MS = Number(process.env["BENCH_BLOCK_MS"] ?? 12_000)
/** The one that is settled on, so it is served alone, too. */
const ORIGINAL = "beta"
const sizes = [1, ...(process.env["BENCH_CHAINS"] ?? "20,200").split(",").map(Number)]

const Entries = Schema.fromJsonString(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))

/** The chain's entry under other ids, without what needs contracts of its own, and with no settlement token. */
const copied = (count: number, urlOf: (chainId: number) => string) => (file: string): string => {
  const entries = Schema.decodeUnknownSync(Entries)(file)
  const original = entries.find(({ id }) => id === ORIGINAL) ?? {}
  const copies = Array.from({ length: count - 1 }, (_, index) => ({
    ...Object.fromEntries(Object.entries(original).filter(([name]) => !["permits", "swaps"].includes(name))),
    id: `copy${index}`,
    chainId: FIRST_ID + index,
    httpRpcUrl: urlOf(FIRST_ID + index),
    additionalData: { displayName: `Copy ${index}`, blockTimeMs: BLOCK_MS }
  }))
  return JSON.stringify([...entries, ...copies])
}

/** Of this process, in which the host is: milliseconds of the processor since the last call. */
const processorTaken = () => {
  let before = process.cpuUsage()
  return () => {
    const { system, user } = process.cpuUsage(before)
    before = process.cpuUsage()
    return (user + system) / 1000
  }
}

const measured = (count: number) =>
  Effect.scoped(Effect.gen(function*() {
    const { chains, environment } = yield* startNetwork
    const nodes = yield* countedNodes
    const statements = countStatements()
    const folder = yield* configuredFolder(copied(count, (chainId) => nodes.copyOf(chains.beta, chainId, BLOCK_MS)))
    const slugs = [ORIGINAL, ...Array.from({ length: count - 1 }, (_, index) => `copy${index}`)]
    const resident = process.memoryUsage().rss
    const processor = processorTaken()
    yield* Layer.build(layerMeasuredHost.pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({
        ...environment,
        BETA_RPC_URL: nodes.urlOf(chains.beta),
        HUB_ALLOCATOR: `0x${"a1".repeat(20)}`,
        CHAINS: slugs.join(",")
      }))),
      Layer.provide([statements.layer, Layer.succeed(ConfigsFolder, folder)])
    ))
    yield* untilAnswers(`http://127.0.0.1:${environment["TRANSFER_PORT"] ?? ""}/ready`)
    const started = processor()
    yield* Effect.sleep(BEGIN)
    statements.reset()
    yield* nodes.take
    processor()
    yield* Effect.sleep(SECONDS * 1_000)
    const kinds = statements.rows("others")
    const { calls, requests } = yield* nodes.take
    const aMinute = 60 / SECONDS
    return {
      started,
      resident: (process.memoryUsage().rss - resident) / 2 ** 20,
      processor: processor() * aMinute,
      statements: kinds.reduce((sum, each) => sum + each.count, 0) * aMinute,
      requests: requests * aMinute,
      most: kinds.slice(0, 14).map((each) => `${each.count * aMinute} ${each.operation}: ${each.text.slice(0, 60)}`),
      calls: calls.map(([together, times]) =>
        `${(times * aMinute / count).toFixed(1)} a chain ${together.slice(0, 120)}`
      )
    }
  }))

await Effect.runPromise(
  Effect.gen(function*() {
    const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))
    for (const size of sizes) {
      const { calls, most, ...row } = yield* measured(size)
      yield* say(
        `\n${size} chains without transfers: ${row.started.toFixed(0)} ms of the processor until ready, ${
          row.resident.toFixed(0)
        } MB more than before; in a minute`
      )
      for (const what of ["statements", "requests", "processor"] as const) {
        yield* say(
          `${row[what].toFixed(0).padStart(10)} ${(row[what] / size).toFixed(1).padStart(10)} a chain  ${what}`
        )
      }
      yield* say([...most, ...calls].map((line) => `       ${line}`).join("\n"))
    }
  }).pipe(Effect.provide(Logger.layer([])))
)
