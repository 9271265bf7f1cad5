/**
 * `npm start -- --chains-only`: the chains without our services, for a deployment of the reader's own
 * (docs/deploying.md). It runs until something dies, which is its error.
 */
import { Effect } from "effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import type { Screen } from "../../cli/Screen.ts"
import { table } from "../../cli/Screen.ts"
import * as Network from "./Network.ts"
import { open } from "./Opening.ts"
import * as TransferEnvironment from "./services/TransferEnvironment.ts"
import { variableFiles } from "./services/VariableFiles.ts"
import { write } from "./state/AtomicFile.ts"
import type { Paths } from "./state/Paths.ts"
import type { Wanted } from "./Wanted.ts"

/** They are there while the chains are, because a later run may have other ports. */
const publish = (path: string, text: string) =>
  Effect.acquireRelease(write(path, text), () => Effect.sync(() => rmSync(path, { force: true })))

/** Everything ends with the scope. */
export const runChains = Effect.fn("Localnet.runChains")(function*(paths: Paths, wanted: Wanted, screen: Screen) {
  const { network, ports } = yield* open(paths, wanted, screen)
  const files = variableFiles({
    transfer: TransferEnvironment.environmentOf(paths, ports, network.keys, network),
    oracle: TransferEnvironment.oracleEnvironmentOf(ports, network.keys, network),
    transferUrl: TransferEnvironment.transferUrl(ports),
    accounts: network.keys.accounts
  })
  yield* Effect.forEach(Object.entries(files), ([name, text]) => publish(join(paths.folder, name), text))
  const rows = table([
    ["the API, and every worker", join(paths.folder, "transfer.env")],
    ["workers, besides", join(paths.folder, "worker.env")],
    ["the oracle", join(paths.folder, "oracle.env")],
    ["a client with money", join(paths.folder, "client.env")]
  ])
  yield* screen.line()
  yield* screen.line("Serving. No service runs. The variables of yours, with their keys:")
  yield* Effect.forEach(rows, (row) => screen.line(`  ${row}`), { discard: true })
  yield* screen.line("DATABASE_URL is yours to add: docs/deploying.md has the whole way.")
  yield* screen.line("Ctrl-C stops the chains. The next start with --chains-only continues them.")
  return yield* Network.died(network)
})
