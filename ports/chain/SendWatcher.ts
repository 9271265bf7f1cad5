/**
 * Payments and swaps that users make themselves on a chain, naming an order: finding new ones from a cursor, and
 * looking again at one.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { BlockRef } from "../../src/domain/transfer/deposit/Deposit.ts"
import type { UserPayment } from "../../src/domain/transfer/payment/UserPayment.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import type { Cursor } from "./DepositWatcher.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** A payment as it stands now; `confirmations` counts its own block. */
export interface StandingPayment {
  readonly payment: UserPayment
  readonly confirmations: number
  readonly final: boolean
}

export class SendWatcher extends Context.Service<SendWatcher, {
  /** Every payment after the cursor, of as many blocks as one scan reads; earlier ones again after a reorganisation. */
  readonly scan: (chain: Chain, from: Cursor) => Effect.Effect<
    { readonly cursor: Cursor; readonly payments: ReadonlyArray<UserPayment> },
    ChainUnavailable
  >
  /** Undefined when the chain does not hold it in a block now, or when it is no payment or swap that names an order. */
  readonly look: (
    chain: Chain,
    transactionId: TransactionId
  ) => Effect.Effect<StandingPayment | undefined, ChainUnavailable>
  /** Undefined only when the block that held it is no longer the chain's and no other one holds it. */
  readonly lookAgain: (
    chain: Chain,
    transactionId: TransactionId,
    block: BlockRef
  ) => Effect.Effect<StandingPayment | undefined, ChainUnavailable>
}>()("causeway/ports/SendWatcher") {}

export const routeSendWatcher: Routing<SendWatcher["Service"]> = (to) => ({
  scan: to((it) => it.scan, ofChain),
  look: to((it) => it.look, ofChain),
  lookAgain: to((it) => it.lookAgain, ofChain)
})
