/**
 * Quotes, prices and status reads a second of one transfer host on one core, each quote durably stored, compared with a
 * bare `node:http` handler that answers the same bytes in the same run. The chains are real ones, on the other core with
 * the load generator.
 */
import { Effect } from "effect"
import { join } from "node:path"
import { privateKeyToAccount } from "viem/accounts"
import { freePort } from "../../../http/testing/load/FreePort.ts"
import { against } from "../../../http/testing/load/Against.ts"
import type { Load } from "../../../http/testing/load/ClosedLoop.ts"
import { closedLoop } from "../../../http/testing/load/ClosedLoop.ts"
import { canPin, MEASURED_CORE, moveAside, startPinned, stopPinned } from "../../../http/testing/load/Pinned.ts"
import { alternate, printRows } from "../../../http/testing/load/Rounds.ts"
import { nativeRequest } from "../../testing/Client.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const CONNECTIONS = 32
const ROUND_MS = 5_000

/** V8 goes on compiling for about 40 s of load: rounds before that differ by half, in any program. */
const STEADY = { warmUp: 8, rounds: 5 }

const bare = join(import.meta.dirname, "../../../http/testing/load/BareServer.ts")

const pinned = (...args: Parameters<typeof startPinned>) =>
  Effect.acquireRelease(Effect.promise(() => startPinned(...args)), (child) => Effect.promise(() => stopPinned(child)))

const bareServer = Effect.fnUntraced(function*(answer: string) {
  const port = yield* Effect.promise(freePort)
  yield* pinned(bare, [`${port}`], "listening", { core: MEASURED_CORE, input: answer })
  return port
})

const program = Effect.gen(function*() {
  const { chains, environment } = yield* startNetwork
  yield* pinned(join(import.meta.dirname, "../../main.ts"), [], "listening on", { core: MEASURED_CORE, environment })
  const otherPort = yield* Effect.promise(freePort)
  if (against !== undefined) {
    // On the same chains, with its own store.
    const its = { ...environment, TRANSFER_PORT: `${otherPort}`, DATABASE_URL: `${environment["DATABASE_URL"]}.other` }
    yield* pinned(join(against, "hosts/transfer/main.ts"), [], "listening on", {
      core: MEASURED_CORE,
      environment: its
    })
  }
  const load = (port: number, changes: Pick<Load, "method" | "path" | "body">): Load => ({
    host: "127.0.0.1",
    port,
    connections: CONNECTIONS,
    ms: ROUND_MS,
    ...changes
  })
  let next = 0
  const body = () => {
    const user = privateKeys[next++ % privateKeys.length] ?? ""
    return JSON.stringify(nativeRequest(user, chains.alpha, chains.beta, 10n ** 15n))
  }
  const privateKeys = chains.users.map((key) => privateKeyToAccount(key).address)
  const port = Number(environment["TRANSFER_PORT"])
  const quotes = load(port, { method: "POST", path: () => "/quote", body })
  const { sample: quote } = yield* Effect.promise(() => closedLoop({ ...quotes, connections: 1, ms: 1 }))
  const id = /"requestId":"(0x[0-9a-f]+)"/.exec(quote)?.[1] ?? ""
  const statuses = load(port, { method: "GET", path: () => `/intents/status?requestId=${id}` })
  const { sample: status } = yield* Effect.promise(() => closedLoop({ ...statuses, connections: 1, ms: 1 }))
  const bareQuotes = yield* bareServer(quote)
  const bareStatuses = yield* bareServer(status)
  const title = (what: string) =>
    `${what}, one core${canPin ? "" : " (not pinned: taskset is missing)"}, ${CONNECTIONS} connections`
  const quoteRows = yield* Effect.promise(() =>
    alternate({
      "bare node:http handler, the same bytes": { ...quotes, port: bareQuotes },
      "quotes of a native transfer, stored": quotes,
      "prices of the same transfer": { ...quotes, path: () => "/price" },
      ...(against === undefined
        ? {}
        : { "quotes of a native transfer, stored, by the other commit": { ...quotes, port: otherPort } })
    }, STEADY)
  )
  printRows(title("Transfer service: quotes a second"), quoteRows)
  const statusRows = yield* Effect.promise(() =>
    alternate({
      "bare node:http handler, the same bytes": { ...statuses, port: bareStatuses },
      "status of a quote": statuses
    })
  )
  printRows(title("Transfer service: status reads a second"), statusRows)
})

moveAside()
await Effect.runPromise(Effect.scoped(program))
