/** Chains and a transfer host over them, with an operator's environment. */
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { startTransferInstance } from "./HostInstance.ts"
import { startHost } from "./HostProcess.ts"
import { keyAt, startChains } from "./TestChains.ts"
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

type Changes = Readonly<Record<string, string>>

/** How a network's hosts start; `changes` are added to the environment. */
export const hostsOver = (environment: Changes) => ({
  /** Within the test's process. */
  startInstance: (changes: Changes = {}) => startTransferInstance({ ...environment, ...changes }),
  /** As a process, again after it was killed. */
  startHost: (changes: Changes = {}) => startHost({ ...environment, ...changes })
})

export const networkOn = Effect.fnUntraced(function*<E, R>(starting: Effect.Effect<TestChains, E, R>) {
  const folder = yield* temporaryFolder
  const chains = yield* starting
  const environment = environmentOf(chains, join(folder, "transfer.db"), yield* anyFree)
  let last = 0xd5_0000
  return {
    chains,
    environment,
    /** The URL of the store of its hosts. */
    store: environment["DATABASE_URL"] ?? "",
    /** The private key of a funded user, by its number, and the user's account. */
    key: (index: number) => keyAt(chains, index),
    user: (index: number) => privateKeyToAccount(keyAt(chains, index)).address,
    /** An account that has nothing yet, on any chain of accounts of this form. */
    fresh: (): Hex => toHex(last += 1, { size: 20 }),
    ...hostsOver(environment)
  }
})

export const startNetwork = networkOn(startChains)
export type Network = Effect.Success<typeof startNetwork>
