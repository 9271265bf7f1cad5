/** Deposits on a chain: finding new ones from a cursor, and looking again at one that was found. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { BlockRef, Deposit } from "../../src/domain/transfer/deposit/Deposit.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** Up to which block a chain was scanned; the hash tells when that block is no longer the chain's. */
export const Cursor = Schema.Struct({ height: Schema.BigIntFromString, hash: Schema.String })
export type Cursor = typeof Cursor.Type

/** The newest block. */
export interface Head extends Cursor {
  /** The block's own time, seconds. */
  readonly time: number
}

/** What scanning a chain found, and where the next scan goes on. */
export interface Scan {
  readonly cursor: Cursor
  /**
   * The newest block that the endpoint showed while it was scanned; further than the cursor where much is to be caught
   * up.
   */
  readonly head: Head
  /** In chain order. The same deposit may be found again after a reorganisation: recording it is idempotent. */
  readonly deposits: ReadonlyArray<Deposit>
}

/** How a deposit stands on the chain now. */
export type Standing =
  | {
    readonly _tag: "Included"
    readonly block: BlockRef
    readonly confirmations: number
    readonly final: boolean
    /** All that its transaction deposited, itself among them: on the hub they are minted together or not at all. */
    readonly deposits: ReadonlyArray<Deposit>
  }
  | { readonly _tag: "Gone" }

/** What a chain says of its finality now. */
export interface FinalityNow {
  /** The hash of its block at the height that was asked about; undefined when the node knows none. */
  readonly found: string | undefined
  /** The newest block that is final; undefined when none is. */
  readonly newest: Cursor | undefined
}

export class DepositWatcher extends Context.Service<DepositWatcher, {
  /** The newest block, where a first scan starts. */
  readonly head: (chain: Chain) => Effect.Effect<Head, ChainUnavailable>
  readonly scan: (chain: Chain, from: Cursor) => Effect.Effect<Scan, ChainUnavailable>
  /** The deposits of one transaction; undefined when the chain does not hold it in a block now. */
  readonly look: (
    chain: Chain,
    transactionId: TransactionId
  ) => Effect.Effect<ReadonlyArray<Deposit> | undefined, ChainUnavailable>
  /** In one read: what stands at a height that was final before, and what is final now. */
  readonly finality: (chain: Chain, height: bigint | undefined) => Effect.Effect<FinalityNow, ChainUnavailable>
  /** `confirmations` counts the deposit's own block; `Gone` only when the canonical chain does not hold it. */
  readonly standing: (chain: Chain, deposit: Deposit) => Effect.Effect<Standing, ChainUnavailable>
}>()("causeway/ports/DepositWatcher") {}

export const routeDepositWatcher: Routing<DepositWatcher["Service"]> = (to) => ({
  head: to((it) => it.head, ofChain),
  scan: to((it) => it.scan, ofChain),
  look: to((it) => it.look, ofChain),
  finality: to((it) => it.finality, ofChain),
  standing: to((it) => it.standing, ofChain)
})
