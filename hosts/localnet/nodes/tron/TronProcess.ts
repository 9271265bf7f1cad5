/** The local Tron chain of `npm start`: Tron.ts in a process of its own (NodeProcess.ts). */
import { Effect } from "effect"
import type { Scope } from "effect"
import { join } from "node:path"
import type { TronParties } from "./Genesis.ts"
import { startNode } from "../NodeProcess.ts"
import { TRON_CHAIN_ID } from "./node/ChainNumber.ts"
import { TronError } from "./TronError.ts"

export interface TronProcess {
  /** The URL of the HTTP interface, tronweb's `fullHost`. */
  readonly url: string
  readonly jsonRpcUrl: string
  readonly port: number
  readonly pid: number
  /** Fails as soon as the process has ended, for any reason. */
  readonly died: Effect.Effect<never, TronError>
}

export const programPath: string = join(import.meta.dirname, "node/main.ts")

/**
 * Milliseconds between blocks, a third of the public chain's: a block is solidified after 19 seconds, not after a
 * minute.
 */
const BLOCK_TIME = 1_000

export interface TronProcessOptions {
  readonly port: number
  readonly stateFile: string
  readonly parties: TronParties
}

/**
 * Starts the chain and waits until it answers. Errors: `port-taken`, `not-started` (also for a damaged state file),
 * `wrong-chain`.
 */
export const start = Effect.fn("TronProcess.start")(
  function*({ parties, port, stateFile }: TronProcessOptions): Effect.fn.Return<TronProcess, TronError, Scope.Scope> {
    const node = yield* startNode({
      name: "the Tron chain",
      port,
      program: programPath,
      args: ["--state", stateFile, "--block-time", `${BLOCK_TIME}`, "--parties", JSON.stringify(parties)],
      known: {
        by: "chain id",
        path: "/jsonrpc",
        method: "eth_chainId",
        params: [],
        answer: `0x${TRON_CHAIN_ID.toString(16)}`
      },
      error: (fault) => new TronError(fault)
    })
    return { ...node, jsonRpcUrl: `${node.url}/jsonrpc`, port }
  }
)
