/**
 * A local Solana chain in this process, as a scoped resource: litesvm behind the JSON-RPC and WebSocket interface of a
 * node, on one port of the loopback.
 *
 * Real: execution, with programs, fees, rent, signatures, compute limits. The interface and the consensus are ours:
 * slots come by command, by transaction or by clock, and are confirmed and finalized by the number of slots after them.
 * For `npm start` it runs in its own process (SolanaProcess.ts).
 */
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import { anyFree, isFree } from "../Port.ts"
import type { Kept } from "./node/Chain.ts"
import { Chain, genesisHashOf } from "./node/Chain.ts"
import { fundFaucet } from "./node/Faucet.ts"
import type { Fault } from "./node/rpc/Faults.ts"
import { serve } from "./node/rpc/Server.ts"
import { read, write } from "./node/StateFile.ts"
import { SolanaError } from "./SolanaError.ts"

export type { Fault } from "./node/rpc/Faults.ts"

export interface SolanaOptions {
  /** Distinguishes this chain from others: its genesis hash is derived from it. */
  readonly name?: string | undefined
  /** A fixed port, refused when taken. Without it any free port. */
  readonly port?: number | undefined
  /** Read when it exists. Written every second and at the end. */
  readonly stateFile?: string | undefined
  /** Milliseconds between slots. Without it only transactions end slots, each its own. */
  readonly slotTime?: number | undefined
  /** How many slots later a slot is confirmed. Default 1. */
  readonly confirmedAfter?: number | undefined
  /** How many slots later a slot is finalized. Default 3. */
  readonly finalizedAfter?: number | undefined
  /** The initial state of a new chain. Its accounts are final at once. */
  readonly genesis?: ((chain: Chain) => Promise<void>) | undefined
}

export interface Solana {
  readonly url: string
  /** For subscriptions. */
  readonly webSocketUrl: string
  readonly port: number
  /** Whether it was read from its state file. */
  readonly kept: boolean
  /** The chain behind the interface: accounts to overwrite, slots, transactions to submit. */
  readonly chain: Chain
  /** Ends slots with a block each. Default: one. */
  readonly mine: (slots?: number) => Effect.Effect<void>
  /** Ends the open slot. The next ones have no block. */
  readonly skip: (slots: number) => Effect.Effect<void>
  /** Mines until everything so far is final. */
  readonly finalize: Effect.Effect<void>
  /** Undoes the last `depth` slots, including the open one. Their transactions are gone for good. */
  readonly rollback: (depth: number) => Effect.Effect<void>
  /** The next slot begins at that second since 1970, and the clock goes on from there. */
  readonly setTime: (seconds: number) => Effect.Effect<void>
  /** The interface's fault from now on. `undefined` ends it. */
  readonly setFault: (fault: Fault | undefined) => Effect.Effect<void>
  /** Writes the state file now. */
  readonly save: Effect.Effect<void>
}

const seconds = () => Math.floor(Date.now() / 1000)

const open = async (options: SolanaOptions, kept: Kept | undefined): Promise<Chain> => {
  const chain = new Chain({
    name: options.name ?? "test",
    confirmedAfter: options.confirmedAfter ?? 1,
    finalizedAfter: options.finalizedAfter ?? 3,
    automine: options.slotTime === undefined,
    now: seconds
  }, kept)
  if (kept !== undefined) return chain
  fundFaucet(chain)
  await options.genesis?.(chain)
  for (let slot = 0; slot <= chain.options.finalizedAfter; slot += 1) chain.advance()
  return chain
}

const portOf = Effect.fnUntraced(function*(port: number | undefined) {
  if (port === undefined) return yield* anyFree
  if (yield* isFree(port)) return port
  return yield* new SolanaError({ kind: "port-taken", message: `port ${port} on 127.0.0.1 is taken` })
})

/** Starts a chain that answers. Errors: `port-taken`, or a state file that is `damaged`. */
export const start = Effect.fn("Solana.start")(
  function*(options: SolanaOptions = {}): Effect.fn.Return<Solana, SolanaError, Scope.Scope> {
    const port = yield* portOf(options.port)
    const { slotTime, stateFile } = options
    const kept = stateFile === undefined ?
      undefined :
      yield* Effect.mapError(read(stateFile), (error) => new SolanaError({ kind: "damaged", message: error.message }))
    if (kept !== undefined && kept.genesisHash !== genesisHashOf(options.name ?? "test")) {
      return yield* new SolanaError({
        kind: "wrong-chain",
        message: `${stateFile} holds another chain, of genesis hash ${kept.genesisHash}`
      })
    }
    const chain = yield* Effect.promise(() => open(options, kept))
    const save = stateFile === undefined ? Effect.void : Effect.orDie(write(stateFile, chain))
    yield* Effect.acquireRelease(save, () => save)
    let fault: Fault | undefined
    yield* serve(chain, port, () => fault)
    if (slotTime !== undefined) {
      yield* Effect.forkScoped(Effect.schedule(Effect.sync(() => chain.advance()), Schedule.fixed(slotTime)))
    }
    if (stateFile !== undefined) yield* Effect.forkScoped(Effect.schedule(save, Schedule.spaced("1 second")))
    const mine = (slots = 1) =>
      Effect.sync(() => {
        for (let slot = 0; slot < slots; slot += 1) chain.advance()
      })
    return {
      url: `http://127.0.0.1:${port}`,
      webSocketUrl: `ws://127.0.0.1:${port}`,
      port,
      kept: kept !== undefined,
      chain,
      mine,
      skip: (slots) => Effect.sync(() => chain.advance(slots)),
      finalize: mine(chain.options.finalizedAfter),
      rollback: (depth) => Effect.sync(() => chain.rollback(depth)),
      setTime: (time) =>
        Effect.sync(() => {
          chain.setTime(time)
          chain.advance()
        }),
      setFault: (next) => Effect.sync(() => void (fault = next)),
      save
    }
  }
)

export const Solana = { start } as const
