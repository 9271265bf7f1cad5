/** Hosts of this commit or of another one's folder, each on chains and a store of its own, for loads to measure. */
import { Effect, Redacted, Scope } from "effect"
import { createServer, connect } from "node:net"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { spawnHost, startHost } from "../HostProcess.ts"
import { startNetwork } from "../TransferNetwork.ts"

/** `root`: the folder of another commit's program. */
export interface HostOptions {
  readonly root?: string | undefined
  readonly changes?: Readonly<Record<string, string>>
  /** How many endpoints of each chain are configured; all of them lead to its only node. Default 1. */
  readonly endpoints?: number
}

/** Another address of a node. To the service it is a host of its own. */
const forwardTo = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((from) => {
        const to = connect({ host: "127.0.0.1", port, noDelay: true })
        from.setNoDelay(true)
        from.on("error", () => to.destroy()).on("close", () => to.destroy()).pipe(to)
        to.on("error", () => from.destroy()).on("close", () => from.destroy()).pipe(from)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const own = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ url: `http://127.0.0.1:${own}`, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const network = Effect.fnUntraced(function*({ changes = {}, endpoints = 1 }: HostOptions) {
  const { chains, environment } = yield* startNetwork
  const urlsOf = ({ port, url }: { readonly port: number; readonly url: string }) =>
    Effect.map(
      Effect.forEach(Array.from({ length: endpoints - 1 }), () => forwardTo(port)),
      (others) => [url, ...others.map((other) => other.url)].join(",")
    )
  const [alpha, beta] = [yield* urlsOf(chains.alpha), yield* urlsOf(chains.beta)]
  return { chains, settings: { ...environment, ALPHA_RPC_URL: alpha, BETA_RPC_URL: beta, ...changes } }
})

/** API and worker in one process on SQLite. */
export const onSqlite = Effect.fnUntraced(function*(options: HostOptions) {
  const { chains, settings } = yield* network(options)
  const host = yield* startHost(settings, options.root)
  return { url: host.url, chains, pids: () => [host.pid] }
})

/** The API in a process that is not measured, and workers in processes of their own. It begins without a worker. */
export const onPostgres = Effect.fnUntraced(function*(programs: PostgresServer.PostgresPrograms, options: HostOptions) {
  const { chains, settings } = yield* network(options)
  const server = yield* PostgresServer.start(programs)
  const shared = { ...settings, DATABASE_URL: Redacted.value(yield* server.createDatabase) }
  const api = yield* startHost(shared, options.root)
  const workers: Array<number> = []
  const scope = yield* Effect.scope
  /** Starts workers, up to this number. They join within seconds. */
  const growTo = Effect.fnUntraced(function*(count: number) {
    while (workers.length < count) {
      const worker = yield* spawnHost("worker", { ...shared, RUNNER_PORT: `${yield* anyFree}` }, options.root)
      workers.push(worker.pid)
    }
  }, (grown) => Effect.provideService(grown, Scope.Scope, scope))
  return { url: api.url, chains, pids: (): ReadonlyArray<number> => workers, growTo }
})
