/**
 * The ledger in memory: the state machine, with blocks at regular times of Effect's clock. Under a test's clock it runs
 * on virtual time. Behind `HttpLedger` it is a node.
 */
import { Clock, Effect } from "effect"
import type { Scope } from "effect"
import type { Address, CurrencyAddress } from "causeway-kit"
import type { HttpJson } from "causeway-kit/adapters/quorum"
import { answer } from "../ledger/Answer.ts"
import {
  close,
  genesis,
  headOf,
  identityOf,
  type LedgerState,
  type LedgerTerms,
  nextBlock,
  reorganise
} from "../ledger/Ledger.ts"

export interface MemoryLedgerOptions {
  readonly terms: LedgerTerms
  readonly holdings: ReadonlyArray<readonly [Address, CurrencyAddress, bigint]>
  /** Milliseconds between blocks. If absent, blocks are made by hand. */
  readonly blockTimeMs?: number
}

export interface MemoryLedger {
  /** Queries it as a node, without a transport. */
  readonly connection: HttpJson
  readonly genesisHash: string
  readonly state: () => LedgerState
  /** Makes blocks now, by default one. */
  readonly mine: (blocks?: number) => Effect.Effect<void>
  /** Removes the newest block and its transfers, unless it is final. */
  readonly takeBack: Effect.Effect<void>
  /** Makes a fork: removes the last blocks and makes as many others. */
  readonly reorganise: (depth: number, transfers: "kept" | "forgotten") => Effect.Effect<void>
  readonly close: (account: Address) => Effect.Effect<void>
}

const seconds = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / 1_000))

/** Makes blocks until the scope closes. */
export const startMemoryLedger = Effect.fnUntraced(
  function*({ blockTimeMs, holdings, terms }: MemoryLedgerOptions): Effect.fn.Return<MemoryLedger, never, Scope.Scope> {
    let state = genesis(terms, yield* seconds, holdings)
    const mine = (blocks: number = 1) =>
      Effect.map(seconds, (time) => {
        for (let made = 0; made < blocks; made += 1) state = nextBlock(state, time)
      })
    if (blockTimeMs !== undefined) {
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(blockTimeMs), mine())))
    }
    return {
      connection: {
        call: (asked) =>
          Effect.sync(() => {
            const answered = answer(state, asked)
            state = answered.state
            return answered.answer
          })
      },
      genesisHash: identityOf(state),
      state: () => state,
      mine,
      takeBack: Effect.sync(() => {
        state = reorganise(state, 1, "forgotten")
      }),
      reorganise: (depth, transfers) =>
        Effect.suspend(() => {
          const { height } = headOf(state)
          state = reorganise(state, depth, transfers)
          return mine(height - headOf(state).height)
        }),
      close: (account) =>
        Effect.sync(() => {
          state = close(state, account)
        })
    }
  }
)
