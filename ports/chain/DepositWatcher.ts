/** Deposits on a chain: finds new ones from a cursor, and rechecks one that was found before. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { FinalityNow as FinalityOnChain } from "../../src/domain/chain/FinalityNow.ts"
import type { Deposit } from "../../src/domain/transfer/deposit/Deposit.ts"
import type { Standing as StandingOnChain } from "../../src/domain/transfer/deposit/Standing.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import type { ReadBy } from "./ReadBy.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** The last block of a chain that was scanned. Its hash shows when a reorg has replaced that block. */
export const Cursor = Schema.Struct({ height: Schema.BigIntFromString, hash: Schema.String })
export type Cursor = typeof Cursor.Type

/** The newest block. */
export interface Head extends Cursor {
  /** The block's own time, seconds. */
  readonly time: number
}

/** The newest block, and how far blocks are final. As one endpoint's word it may delay or wake a look, never decide. */
export interface Heads extends Cursor {
  /** Blocks up to this height are final. −1 when none is. */
  readonly finalHeight: bigint
}

/** The result of a scan, and where the next scan continues. */
export interface Scan {
  readonly cursor: Cursor
  /**
   * The newest block that the endpoint reported during the scan. It is ahead of the cursor while the scan catches up.
   */
  readonly head: Head
  /** In chain order. The same deposit may be returned again after a reorg; recording it is idempotent. */
  readonly deposits: ReadonlyArray<Deposit>
  /**
   * Transactions that this release cannot read, and that were passed over for it: what they deposit is recorded only
   * when they are indexed by a release that can (SOLANA-23). Each is named once. Absent when there are none.
   */
  readonly unread?: ReadonlyArray<TransactionId>
}

/** What several endpoints together show in final blocks, and where the next of these scans continues. */
export interface FinalScan extends Pick<Scan, "cursor" | "deposits" | "unread"> {
  /**
   * By a deposit's id, the hosts that were asked and did not show it. Absent where each was shown by all. It is their
   * word against another's: the quorum says whether the deposit is there.
   */
  readonly notShownBy?: ReadonlyMap<string, ReadonlyArray<string>>
}

/** The current state of a deposit on the chain. */
export type Standing = StandingOnChain

/** The chain's finality now. */
export type FinalityNow = FinalityOnChain

/** What is asked of a chain's finality, beside whether the remembered block still stands. */
export type FinalityAsked = "newest" | "standing"

/** Deposits of a chain: a scan from a cursor, which may find one twice, and the present state of one that is known. */
export class DepositWatcher extends Context.Service<DepositWatcher, {
  /** The newest block. A first scan starts here. */
  readonly head: (chain: Chain) => Effect.Effect<Head, ChainUnavailable>
  /**
   * The newest block and the newest final height in one read. By the quorum, each height is one that as many endpoints
   * as needed have reached; the hash is one endpoint's word in any case.
   */
  readonly heads: (chain: Chain, by: ReadBy) => Effect.Effect<Heads, ChainUnavailable>
  readonly scan: (chain: Chain, from: Cursor) => Effect.Effect<Scan, ChainUnavailable>
  /**
   * The deposits between a cursor and a final block, as so many endpoints show them that one of them tells the truth:
   * what an endpoint hides from `scan` is among them (QUORUM-7). Where a single host decides, nothing is asked, and the
   * cursor is the final block. `final`: as the quorum has confirmed it.
   */
  readonly scanFinal: (chain: Chain, from: Cursor, final: Cursor) => Effect.Effect<FinalScan, ChainUnavailable>
  /** The deposits of one transaction; undefined when no block of the chain contains it now. */
  readonly look: (
    chain: Chain,
    transactionId: TransactionId
  ) => Effect.Effect<ReadonlyArray<Deposit> | undefined, ChainUnavailable>
  /**
   * The block at the height of one that was final before, and the newest final block. A replaced block, and a final
   * block newer than the remembered one, are reported only when the quorum confirms them. `asked` "standing": only
   * whether the remembered block still stands; then no newer one has to be confirmed, and `newest` is undefined.
   */
  readonly finality: (
    chain: Chain,
    remembered: Cursor | undefined,
    asked?: FinalityAsked
  ) => Effect.Effect<FinalityNow, ChainUnavailable>
  /**
   * What the chain has under the deposit's id. It may differ from `deposit`: the caller compares (`otherThan`).
   * `confirmations` counts the deposit's own block. `Gone` only when the canonical chain has nothing under that id.
   * `Gone` and `final` always need the quorum. With `by` "quorum", every answer does.
   */
  readonly standing: (chain: Chain, deposit: Deposit, by: ReadBy) => Effect.Effect<Standing, ChainUnavailable>
}>()("causeway/ports/DepositWatcher") {}

/** The family of each call of this port. */
export const routeDepositWatcher: Routing<DepositWatcher["Service"]> = (to) => ({
  head: to((it) => it.head, ofChain),
  heads: to((it) => it.heads, ofChain),
  scan: to((it) => it.scan, ofChain),
  scanFinal: to((it) => it.scanFinal, ofChain),
  look: to((it) => it.look, ofChain),
  finality: to((it) => it.finality, ofChain),
  standing: to((it) => it.standing, ofChain)
})
