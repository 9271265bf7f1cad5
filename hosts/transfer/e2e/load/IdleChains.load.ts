/**
 * What a chain without transfers costs a host: statements of the store and requests to the chain's node in a minute, by
 * the number of chains. All chains but one are copies of the local one under other ids, answered from its node once a
 * second. `BENCH_CHAINS` replaces the number of chains.
 */
import { ConfigProvider, Effect, Layer, Logger, Schema } from "effect"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { ConfigsFolder } from "../../../configuration/ConfigsFolder.ts"
import { configuredFolder } from "../../testing/ConfiguredFolder.ts"
import { countStatements } from "../../testing/StatementCounts.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { untilAnswers } from "../../testing/UntilAnswers.ts"
import { layerMeasuredHost } from "../../TransferHost.ts"

const SECONDS = 30
/** Until all loops have begun. */
const BEGIN = "20 seconds"
const FIRST_ID = 7_000_000
/** The one that is settled on, so it is served alone, too. */
const ORIGINAL = "beta"
const sizes = [1, Number(process.env["BENCH_CHAINS"] ?? 200)]

const Calls = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ id: Schema.Unknown, method: Schema.String, params: Schema.optionalKey(Schema.Unknown) }))
)
const decodeCalls = Schema.decodeUnknownPromise(Calls)
const decodeAnswer = Schema.decodeUnknownPromise(Schema.Struct({ result: Schema.optionalKey(Schema.Unknown) }))

interface Counts {
  requests: number
  /** By the methods that a request calls together. */
  readonly calls: Map<string, number>
}

/** A node for each chain: the path is its id, and all else is what the node behind says, asked once a second. */
const copiesOf = (node: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly counts: Counts; readonly close: () => void }>(
      (resume) => {
        const counts: Counts = { requests: 0, calls: new Map() }
        const known = new Map<string, Promise<unknown>>()
        const ask = async (method: string, params: unknown): Promise<unknown> => {
          const answer = await fetch(node, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
          })
          return (await decodeAnswer(await answer.json())).result ?? null
        }
        const resultOf = (chain: number, method: string, params: unknown): Promise<unknown> => {
          if (method === "eth_chainId") return Promise.resolve(`0x${chain.toString(16)}`)
          const key = JSON.stringify([method, params, Math.floor(Date.now() / 1_000)])
          const asked = known.get(key) ?? ask(method, params)
          if (known.size > 10_000) known.clear()
          known.set(key, asked)
          return asked
        }
        const server = createServer((request, response) => {
          void text(request).then(async (body) => {
            counts.requests += 1
            const calls = await decodeCalls(body)
            const chain = Number((request.url ?? "/").slice(1))
            const together = calls.map(({ method }) => method).join(" ")
            counts.calls.set(together, (counts.calls.get(together) ?? 0) + 1)
            const answers = await Promise.all(calls.map(async ({ id, method, params }) => ({
              jsonrpc: "2.0",
              id,
              result: await resultOf(chain, method, params)
            })))
            return response.setHeader("content-type", "application/json").end(JSON.stringify(answers))
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          resume(
            Effect.succeed({
              url: `http://127.0.0.1:${port}`,
              counts,
              close: () => server.close().closeAllConnections()
            })
          )
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

const Entries = Schema.fromJsonString(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))

/** The chain's entry under other ids, without what needs contracts of its own, and with no settlement token. */
const copied = (count: number, url: string) => (file: string): string => {
  const entries = Schema.decodeUnknownSync(Entries)(file)
  const original = entries.find(({ id }) => id === ORIGINAL) ?? {}
  const copies = Array.from({ length: count - 1 }, (_, index) => ({
    ...Object.fromEntries(Object.entries(original).filter(([name]) => !["permits", "swaps"].includes(name))),
    id: `copy${index}`,
    chainId: FIRST_ID + index,
    httpRpcUrl: `${url}/${FIRST_ID + index}`,
    additionalData: { displayName: `Copy ${index}`, blockTimeMs: 1000 }
  }))
  return JSON.stringify([...entries, ...copies])
}

const measured = (count: number) =>
  Effect.scoped(Effect.gen(function*() {
    const { chains, environment } = yield* startNetwork
    const { counts, url } = yield* copiesOf(chains.beta.url)
    const statements = countStatements()
    const folder = yield* configuredFolder(copied(count, url))
    const slugs = [ORIGINAL, ...Array.from({ length: count - 1 }, (_, index) => `copy${index}`)]
    const before = process.cpuUsage()
    yield* Layer.build(layerMeasuredHost.pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({
        ...environment,
        HUB_ALLOCATOR: `0x${"a1".repeat(20)}`,
        CHAINS: slugs.join(",")
      }))),
      Layer.provide([statements.layer, Layer.succeed(ConfigsFolder, folder)])
    ))
    yield* untilAnswers(`http://127.0.0.1:${environment["TRANSFER_PORT"] ?? ""}/ready`)
    const started = process.cpuUsage(before)
    yield* Effect.sleep(BEGIN)
    statements.reset()
    counts.requests = 0
    counts.calls.clear()
    yield* Effect.sleep(SECONDS * 1_000)
    const kinds = statements.rows("others")
    return {
      started: (started.user + started.system) / 1000,
      statements: kinds.reduce((sum, each) => sum + each.count, 0) * 60 / SECONDS,
      requests: counts.requests * 60 / SECONDS,
      most: kinds.slice(0, 12).map((each) =>
        `${each.count * 60 / SECONDS} ${each.operation}: ${each.text.slice(0, 60)}`
      ),
      calls: [...counts.calls].toSorted(([, one], [, other]) => other - one).map(([together, times]) =>
        `${(times * 60 / SECONDS / Math.max(1, count - 1)).toFixed(1)} ${together}`
      )
    }
  }))

await Effect.runPromise(
  Effect.gen(function*() {
    for (const size of sizes) {
      const { calls, most, requests, started, statements } = yield* measured(size)
      yield* Effect.sync(() =>
        process.stdout.write(
          `\n${size} chains without transfers: ${started.toFixed(0)} ms of the processor until ready; in a minute ${
            statements.toFixed(0)
          } statements, ${(statements / size).toFixed(1)} a chain, and ${
            (requests / Math.max(1, size - 1)).toFixed(1)
          } requests to each copy's node\n${[...most, ...calls].map((line) => `       ${line}\n`).join("")}`
        )
      )
    }
  }).pipe(Effect.provide(Logger.layer([])))
)
