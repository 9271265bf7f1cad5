/** The local Bitcoin chain of `npm start`: Bitcoin.ts in a process of its own (NodeProcess.ts). */
import { Effect } from "effect"
import type { Scope } from "effect"
import { join } from "node:path"
import { BitcoinError } from "./BitcoinError.ts"
import { startNode } from "../NodeProcess.ts"

export interface BitcoinProcess {
  /** The node's URL. */
  readonly url: string
  /** The explorer's URL. */
  readonly explorerUrl: string
  readonly port: number
  readonly pid: number
  /** Fails as soon as the process has ended, for any reason. */
  readonly died: Effect.Effect<never, BitcoinError>
}

/** The first block of every regtest chain. */
export const REGTEST_GENESIS = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"

export const programPath: string = join(import.meta.dirname, "node/main.ts")

/** Milliseconds between blocks. With six of them a block is final within a quarter of a minute. */
const BLOCK_TIME = 2_000

/**
 * Starts the chain and waits until it answers. Errors: `port-taken`, `not-started` (also for a damaged state file),
 * `wrong-chain`.
 */
export const start = Effect.fn("BitcoinProcess.start")(
  function*(
    { port, stateFile }: { readonly port: number; readonly stateFile: string }
  ): Effect.fn.Return<BitcoinProcess, BitcoinError, Scope.Scope> {
    const node = yield* startNode({
      name: "the Bitcoin chain",
      port,
      program: programPath,
      args: ["--state", stateFile, "--block-time", `${BLOCK_TIME}`],
      known: { by: "first block", method: "getblockhash", params: [0], answer: REGTEST_GENESIS },
      error: (fault) => new BitcoinError(fault)
    })
    return { ...node, explorerUrl: `${node.url}/api`, port }
  }
)
