/**
 * A local Bitcoin chain in this process, as a scoped resource: bcoin on regtest behind the JSON-RPC of Bitcoin Core and
 * the REST interface of an Esplora explorer, on one port of the loopback.
 *
 * Real: the consensus before taproot, with proof of work, scripts, fees, the mempool, reorgs. Spends of taproot outputs
 * by their key are checked when they are sent, others are refused.
 */
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import type { AccessRule } from "./node/rpc/Access.ts"
import { Chain } from "./node/Chain.ts"
import type { NodeFault } from "../NodeFault.ts"
import { serve } from "./node/rpc/Server.ts"
import { read, write } from "./node/StateFile.ts"
import { BitcoinError } from "./BitcoinError.ts"
import { anyFree, isFree } from "../Port.ts"

export interface BitcoinOptions {
  /** A fixed port, refused when taken. Without it any free port. */
  readonly port?: number | undefined
  /** Read when it exists. Written when the chain has changed, and at the end. */
  readonly stateFile?: string | undefined
  /** Milliseconds between blocks. Without it blocks come only on command. */
  readonly blockTime?: number | undefined
  /** Which clients the explorer answers. Default: all. */
  readonly access?: AccessRule | undefined
}

export interface Bitcoin {
  /** The node's URL. */
  readonly url: string
  /** The explorer's URL. */
  readonly explorerUrl: string
  /** Where the explorer's clients get their tokens. */
  readonly tokenUrl: string
  readonly port: number
  /** The chain behind the interfaces. */
  readonly chain: Chain
  /** The number of tokens that the explorer has issued, and how to revoke them. */
  readonly tokens: { readonly issued: () => number; readonly revoke: () => void }
  /** One block by default. */
  readonly mine: (blocks?: number) => Effect.Effect<void>
  /** One block that takes none of the pending transactions. */
  readonly mineEmpty: Effect.Effect<void>
  /** Replaces the last blocks by a longer branch. Their transactions are pending again, or are dropped for good. */
  readonly reorg: (depth: number, transactions?: "waiting" | "dropped") => Effect.Effect<void>
  /** The node's fault from now on. `undefined` ends it. */
  readonly setFault: (fault: NodeFault | undefined) => Effect.Effect<void>
  /** The same for the explorer. */
  readonly setExplorerFault: (fault: NodeFault | undefined) => Effect.Effect<void>
}

const portOf = Effect.fnUntraced(function*(port: number | undefined) {
  if (port === undefined) return yield* anyFree
  if (yield* isFree(port)) return port
  return yield* new BitcoinError({ kind: "port-taken", message: `port ${port} on 127.0.0.1 is taken` })
})

/** Writes the state when it has changed. */
const saving = (path: string, chain: Chain) => {
  let written = ""
  return Effect.suspend(() => {
    const stands = `${chain.ledger.tip.hash} ${chain.waiting().map(({ id }) => id).join()}`
    return stands === written ? Effect.void : Effect.tap(Effect.orDie(write(path, chain)), () =>
      Effect.sync(() => {
        written = stands
      }))
  })
}

/** Starts a chain that answers. Errors: `port-taken`, or a state file that is `damaged`. */
export const start = Effect.fn("Bitcoin.start")(
  function*(options: BitcoinOptions = {}): Effect.fn.Return<Bitcoin, BitcoinError, Scope.Scope> {
    const port = yield* portOf(options.port)
    const { access = { kind: "open" }, blockTime, stateFile } = options
    const kept = stateFile === undefined
      ? undefined
      : yield* Effect.mapError(read(stateFile), ({ message }) => new BitcoinError({ kind: "damaged", message }))
    const chain = yield* Effect.tryPromise({
      try: () => Chain.open(kept),
      catch: (cause) => new BitcoinError({ kind: "damaged", message: `the chain does not open: ${String(cause)}` })
    })
    let fault: NodeFault | undefined
    let explorerFault: NodeFault | undefined
    const served = yield* serve(chain, port, { node: () => fault, explorer: () => explorerFault }, access)
    const mine = (blocks = 1) => Effect.promise(() => chain.mine(blocks))
    if (stateFile !== undefined) {
      const save = saving(stateFile, chain)
      yield* Effect.acquireRelease(save, () => save)
      yield* Effect.forkScoped(Effect.schedule(save, Schedule.spaced("1 second")))
    }
    if (blockTime !== undefined) yield* Effect.forkScoped(Effect.schedule(mine(), Schedule.fixed(blockTime)))
    const url = `http://127.0.0.1:${port}`
    return {
      url,
      explorerUrl: `${url}/api`,
      tokenUrl: `${url}/oauth/token`,
      port,
      chain,
      tokens: { issued: () => served.access.issued, revoke: () => served.access.revoke() },
      mine,
      mineEmpty: Effect.promise(() => chain.mineEmpty()),
      reorg: (depth, transactions = "waiting") => Effect.promise(() => chain.reorg(depth, transactions === "dropped")),
      setFault: (next) => Effect.sync(() => void (fault = next)),
      setExplorerFault: (next) => Effect.sync(() => void (explorerFault = next))
    }
  }
)

export const Bitcoin = { start } as const
