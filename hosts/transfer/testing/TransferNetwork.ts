/** Chains and a transfer host over them, with an operator's environment. */
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { startHost } from "./HostProcess.ts"
import { startChains } from "./TestChains.ts"
import type { TestChains } from "./TestChains.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-transfer-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const environmentOf = (chains: TestChains, store: string, port: number): Readonly<Record<string, string>> => ({
  ENVIRONMENT: "local",
  CHAINS: "alpha,beta",
  ALPHA_RPC_URL: chains.alpha.url,
  BETA_RPC_URL: chains.beta.url,
  SOLVER_PRIVATE_KEY: chains.solverKey,
  DEPOSIT_ADDRESSES_PRIVATE_KEY: chains.operatorKey,
  DATABASE_URL: `sqlite:${store}`,
  TRANSFER_PORT: `${port}`
})

export const startNetwork = Effect.gen(function*() {
  const folder = yield* temporaryFolder
  const chains = yield* startChains
  const environment = environmentOf(chains, join(folder, "transfer.db"), yield* anyFree)
  return {
    chains,
    environment,
    /** Starts the host, also after it was killed. `changes` are added to its environment. */
    startHost: (changes: Readonly<Record<string, string>> = {}) => startHost({ ...environment, ...changes })
  }
})
