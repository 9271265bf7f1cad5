/** The local Solana chain of `npm start`: Solana.ts in a process of its own (NodeProcess.ts). */
import { Effect } from "effect"
import type { Scope } from "effect"
import { join } from "node:path"
import type { GenesisArgument } from "./GenesisArgument.ts"
import { startNode } from "../NodeProcess.ts"
import { genesisHashOf } from "./node/Chain.ts"
import { SolanaError } from "./SolanaError.ts"

export interface SolanaProcessOptions {
  readonly port: number
  /** The port of the swap routes through its pools. */
  readonly jupiterPort: number
  readonly stateFile: string
  readonly genesis: GenesisArgument
}

export interface SolanaProcess {
  readonly url: string
  /** For subscriptions. */
  readonly webSocketUrl: string
  /** The URL for routes through its pools. */
  readonly jupiterUrl: string
  readonly port: number
  readonly pid: number
  readonly genesisHash: string
  /** Fails as soon as the process has ended, for any reason. */
  readonly died: Effect.Effect<never, SolanaError>
}

export const programPath: string = join(import.meta.dirname, "node/main.ts")

/** Milliseconds between slots, as on the public chain. */
const SLOT_TIME = 400

/**
 * Starts the chain and waits until it answers. Errors: `port-taken`, `not-started` (also for a damaged state file),
 * `wrong-chain`.
 */
export const start = Effect.fn("SolanaProcess.start")(
  function*(
    { genesis, jupiterPort, port, stateFile }: SolanaProcessOptions
  ): Effect.fn.Return<SolanaProcess, SolanaError, Scope.Scope> {
    const genesisHash = genesisHashOf(genesis.name)
    const node = yield* startNode({
      name: "the Solana chain",
      port,
      program: programPath,
      args: [
        "--jupiter-port",
        `${jupiterPort}`,
        "--state",
        stateFile,
        "--slot-time",
        `${SLOT_TIME}`,
        "--genesis",
        JSON.stringify(genesis)
      ],
      known: { by: "genesis hash", method: "getGenesisHash", params: [], answer: genesisHash },
      error: (fault) => new SolanaError(fault)
    })
    return {
      ...node,
      webSocketUrl: `ws://127.0.0.1:${port}`,
      jupiterUrl: `http://127.0.0.1:${jupiterPort}/swap/v1`,
      port,
      genesisHash
    }
  }
)
