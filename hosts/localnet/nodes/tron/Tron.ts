/**
 * A local Tron chain in this process, as a scoped resource: the interfaces of a Tron node over its own anvil. Encoding,
 * ids, signatures and refusals are Tron's. Execution is the EVM's, and fees follow a price list (node/Fees.ts).
 *
 *   const tron = yield* Tron.start()                      // blocks on command; our contracts are deployed (Genesis.ts)
 *   tron.url                                              // of /wallet, /walletsolidity and, with /jsonrpc, JSON-RPC
 *   const wallet = yield* tron.wallet("somebody")         // a key of that name with a million TRX and USDC, by tronweb
 *   yield* Effect.promise(() => depositNative(wallet, id, 5_000_000n))   // Deposits.ts has all verbs
 *   yield* tron.mine()                                    // after `tron.mine(20)` it is solidified
 *   yield* tron.reorg(2)                                  // replaces two blocks; `tron.setFault({ kind: "hang" })`
 */
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import { depository, router, usdc, vault } from "./Deposits.ts"
import { genesis as networkGenesis } from "./Genesis.ts"
import { Anvil } from "../ethereum/Anvil.ts"
import { anyFree, isFree } from "../Port.ts"
import { Chain } from "./node/Chain.ts"
import { TRON_CHAIN_ID } from "./node/ChainNumber.ts"
import { loadEncoding } from "./node/Encoding.ts"
import { Evm } from "./node/Evm.ts"
import type { Genesis } from "./node/Genesis.ts"
import { SOLIDIFIED_LAG } from "./node/Ledger.ts"
import type { TronKey } from "./node/LocalKey.ts"
import { keyOfName } from "./node/LocalKey.ts"
import type { NodeFault } from "../NodeFault.ts"
import { serve } from "./node/rpc/Server.ts"
import { read, write } from "./node/StateFile.ts"
import { Wallet } from "./node/Wallet.ts"
import { TronError } from "./TronError.ts"

/** For a chain without its own genesis: it holds a billion TRX. */
export const faucet: TronKey = keyOfName("causeway.local.tron.faucet")
/** Signs withdrawals of such a chain. */
export const allocator: TronKey = keyOfName("causeway.local.tron.allocator")
export const solver: TronKey = keyOfName("causeway.local.tron.solver")

const nameOf = (name: string): TronKey => keyOfName(`causeway.local.tron.account.${name}`)

/** The names of such a chain's initial wallets. */
export const names = ["somebody", "somebody else", "a third"] as const
export type Name = (typeof names)[number]

export interface TronOptions {
  /** A fixed port, refused when taken. Without it any free port. */
  readonly port?: number | undefined
  /** Read when it exists. Written when the chain has changed, and at the end. */
  readonly stateFile?: string | undefined
  /** Milliseconds between blocks, whole seconds. Without it blocks come only on command, three seconds apart. */
  readonly blockTime?: number | undefined
  /** Blocks on command have the second of the clock, however many there are. */
  readonly atClock?: boolean
  readonly genesis?: Genesis | undefined
}

export interface Tron {
  /** The URL of the HTTP interface, tronweb's `fullHost`. */
  readonly url: string
  readonly jsonRpcUrl: string
  readonly port: number
  readonly chainId: number
  /** The chain behind the interfaces. */
  readonly chain: Chain
  readonly depository: Address
  readonly router: Address
  readonly vault: Address
  readonly usdc: Address
  /** For an initial wallet's name, or for a key. */
  readonly wallet: (of: Name | TronKey) => Effect.Effect<Wallet>
  /** One block by default. */
  readonly mine: (blocks?: number) => Effect.Effect<void>
  /** Mines until the present tip is solidified. */
  readonly solidify: Effect.Effect<void>
  /** The next block is not before that second. */
  readonly setTime: (second: number) => Effect.Effect<void>
  /**
   * Replaces the last blocks by a longer branch. Their transactions are dropped, or are pending again (and left out
   * when the block that they refer to is gone).
   */
  readonly reorg: (depth: number, transactions?: "waiting" | "dropped") => Effect.Effect<void>
  /** Removes the last blocks, with their transactions. The next block takes the place of the first of them. */
  readonly takeBack: (blocks: number) => Effect.Effect<void>
  /** The node's fault from now on. `undefined` ends it. */
  readonly setFault: (fault: NodeFault | undefined) => Effect.Effect<void>
}

/** Milliseconds, as on the public chain. */
const BLOCK_TIME = 3_000

/** The EVM's blocks have room for everything in a Tron block, and cost nothing. */
const EVM_ARGUMENTS = [
  "--auto-impersonate",
  "--no-mining",
  "--order",
  "fifo",
  "--gas-price",
  "0",
  "--block-base-fee-per-gas",
  "0",
  "--gas-limit",
  "1000000000000",
  "--hardfork",
  "cancun",
  "--code-size-limit",
  "1000000"
]

const portOf = Effect.fnUntraced(function*(port: number | undefined) {
  if (port === undefined) return yield* anyFree
  if (yield* isFree(port)) return port
  return yield* new TronError({ kind: "port-taken", message: `port ${port} on 127.0.0.1 is taken` })
})

/** Writes the state when it has changed. */
const saving = (path: string, chain: Chain) => {
  let written = ""
  return Effect.suspend(() => {
    const stands = `${chain.ledger.tip.id} ${chain.waiting().map(({ txID }) => txID).join()}`
    return stands === written ? Effect.void : Effect.tap(Effect.orDie(write(path, chain)), () =>
      Effect.sync(() => {
        written = stands
      }))
  })
}

const ownGenesis = () =>
  networkGenesis({
    faucet: faucet.evm,
    solver: solver.evm,
    allocator: allocator.evm,
    accounts: names.map((name) => nameOf(name).evm)
  })

/** Starts a chain that answers. Errors: `port-taken`, a state file that is `damaged`, an EVM that is `not-started`. */
export const start = Effect.fn("Tron.start")(
  function*(
    { atClock = false, blockTime, genesis = ownGenesis(), port: wanted, stateFile }: TronOptions = {}
  ): Effect.fn.Return<Tron, TronError, Scope.Scope> {
    const port = yield* portOf(wanted)
    const kept = stateFile === undefined
      ? undefined
      : yield* Effect.mapError(read(stateFile), ({ message }) => new TronError({ kind: "damaged", message }))
    const genesisTimestamp = kept?.genesisTimestamp ?? Date.now() - 3_000
    const evm = yield* Anvil.start({
      chainId: TRON_CHAIN_ID,
      accounts: 1,
      args: [...EVM_ARGUMENTS, "--timestamp", `${Math.floor(genesisTimestamp / 1000) - genesis.calls.length - 10}`]
    }).pipe(Effect.mapError(({ message }) => new TronError({ kind: "not-started", message })))
    const encode = yield* Effect.promise(loadEncoding)
    const chain = yield* Effect.tryPromise({
      try: () =>
        Chain.open(new Evm(evm.url), encode, {
          chainId: TRON_CHAIN_ID,
          genesis,
          genesisTimestamp,
          interval: atClock ? 0 : blockTime ?? BLOCK_TIME
        }, kept),
      catch: (cause) => new TronError({ kind: "damaged", message: `the chain does not open: ${String(cause)}` })
    })
    let fault: NodeFault | undefined
    yield* serve(chain, port, () => fault)
    const toClock = Effect.sync(() => chain.wait(Date.now()))
    const mine = (blocks = 1) =>
      Effect.andThen(atClock ? toClock : Effect.void, Effect.promise(() => chain.mine(blocks)))
    if (stateFile !== undefined) {
      const save = saving(stateFile, chain)
      yield* Effect.acquireRelease(save, () => save)
      yield* Effect.forkScoped(Effect.schedule(save, Schedule.spaced("1 second")))
    }
    // A chain with a block time keeps up with the clock.
    const live = Effect.andThen(toClock, mine())
    if (blockTime !== undefined) {
      yield* Effect.andThen(live, Effect.forkScoped(Effect.schedule(live, Schedule.fixed(blockTime))))
    }
    const url = `http://127.0.0.1:${port}`
    return {
      url,
      jsonRpcUrl: `${url}/jsonrpc`,
      port,
      chainId: TRON_CHAIN_ID,
      chain,
      depository,
      router,
      vault,
      usdc,
      wallet: (of) => Effect.promise(() => Wallet.open(url, typeof of === "string" ? nameOf(of) : of)),
      mine,
      solidify: mine(SOLIDIFIED_LAG),
      setTime: (second) => Effect.sync(() => chain.wait(second * 1000)),
      reorg: (depth, transactions = "dropped") => Effect.promise(() => chain.reorg(depth, transactions === "dropped")),
      takeBack: (blocks) => Effect.promise(() => chain.takeBack(blocks)),
      setFault: (next) => Effect.sync(() => void (fault = next))
    }
  }
)

export const Tron = { start } as const
