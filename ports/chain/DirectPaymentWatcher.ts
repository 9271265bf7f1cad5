/**
 * Direct payments and swaps that users make themselves on a chain, naming an order: finds new ones from a cursor, and
 * rechecks one that was found before.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { BlockRef } from "../../src/domain/evidence/BlockRef.ts"
import type { StandingPayment as StandingOnChain } from "../../src/domain/transfer/payment/StandingPayment.ts"
import type { UserPayment } from "../../src/domain/transfer/payment/UserPayment.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import type { Cursor } from "./DepositWatcher.ts"
import type { ReadBy } from "./ReadBy.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** The current state of a payment. */
export type StandingPayment = StandingOnChain

/** Payments that users make themselves: a scan from a cursor, and the present state of one that is known. */
export class DirectPaymentWatcher extends Context.Service<DirectPaymentWatcher, {
  /**
   * Every payment after the cursor. One scan reads a limited number of blocks, and may return earlier payments again
   * after a reorg.
   */
  readonly scan: (chain: Chain, from: Cursor) => Effect.Effect<
    { readonly cursor: Cursor; readonly payments: ReadonlyArray<UserPayment> },
    ChainUnavailable
  >
  /** Undefined when no block of the chain contains it now, or when it is not a payment or swap that names an order. */
  readonly look: (
    chain: Chain,
    transactionId: TransactionId
  ) => Effect.Effect<StandingPayment | undefined, ChainUnavailable>
  /**
   * Undefined only when the block that contained it has been replaced and no other block contains it. That, and a
   * payment that is final, always needs the quorum. With `by` "quorum", every answer does.
   */
  readonly lookAgain: (
    chain: Chain,
    transactionId: TransactionId,
    block: BlockRef,
    by: ReadBy
  ) => Effect.Effect<StandingPayment | undefined, ChainUnavailable>
}>()("causeway/ports/DirectPaymentWatcher") {}

/** The family of each call of this port. */
export const routeDirectPaymentWatcher: Routing<DirectPaymentWatcher["Service"]> = (to) => ({
  scan: to((it) => it.scan, ofChain),
  look: to((it) => it.look, ofChain),
  lookAgain: to((it) => it.lookAgain, ofChain)
})
