/**
 * Finds transfers of the settlement token to the solver, in final blocks only. An app balance may be credited for them
 * (BALANCE-2).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CreditEvidence, CreditTerms } from "../../src/domain/ledger/JudgeCredit.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { BlockRef } from "../../src/domain/evidence/BlockRef.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import type { Cursor } from "./DepositWatcher.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** A transaction that moved the token to the solver, and the block that contains it. */
export interface SeenArrival {
  readonly evidence: CreditEvidence
  readonly block: BlockRef
}

/** The result of a scan, and where the next one continues. */
export interface ArrivalScan {
  readonly cursor: Cursor
  /**
   * In chain order, each transaction once. Arrivals of earlier scans may be returned again; recording them is
   * idempotent.
   */
  readonly arrivals: ReadonlyArray<SeenArrival>
  /** True when the final block at which the last scan ended is no longer on the chain. */
  readonly replaced: boolean
  /** Hosts that were asked and did not show a credit that the quorum shows. Absent when there is none. */
  readonly hiddenBy?: ReadonlyArray<string>
}

/** Transfers of the settlement token to the solver, from a cursor on, in final blocks only. */
export class CreditWatcher extends Context.Service<CreditWatcher, {
  /** Where a first scan starts: the newest final block, or an earlier one; undefined while no block is final. */
  readonly start: (chain: Chain, below: bigint | undefined) => Effect.Effect<Cursor | undefined, ChainUnavailable>
  /** Arrivals in final blocks after the cursor. One scan reads a limited number of blocks. */
  readonly scan: (chain: Chain, terms: CreditTerms, from: Cursor) => Effect.Effect<ArrivalScan, ChainUnavailable>
  /** Every transaction in these blocks that mentions a credit, including failed ones and those to other contracts. */
  readonly mentions: (
    chain: Chain,
    blocks: { readonly from: bigint; readonly to: bigint }
  ) => Effect.Effect<ReadonlyArray<SeenArrival>, ChainUnavailable>
}>()("causeway/ports/CreditWatcher") {}

/** The family of each call of this port. */
export const routeCreditWatcher: Routing<CreditWatcher["Service"]> = (to) => ({
  start: to((it) => it.start, ofChain),
  scan: to((it) => it.scan, ofChain),
  mentions: to((it) => it.mentions, ofChain)
})
