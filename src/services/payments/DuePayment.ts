/** A payment that is due, and under which conditions it may be signed. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import type { PriceUnavailable } from "../../../ports/market/Prices.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { PreparedPayment } from "../../../ports/chain/Treasury.ts"
import type { ChainId } from "../../domain/chain/ChainId.ts"
import type { ChainNotServed } from "../../domain/chain/ChainNotServed.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import type { RequestId } from "../../domain/transfer/RequestId.ts"
import type { Status } from "../../domain/transfer/Status.ts"
import { isHalted } from "../deposits/halt/Halting.ts"
import { pollInterval } from "../polling/PollInterval.ts"

/** Whether the costs of what is about to be signed, first or as a replacement, are covered. */
export type IsBorne<R = never> = (
  prepared: Pick<PreparedPayment, "mostGas">
) => Effect.Effect<boolean, PriceUnavailable | StoreUnavailable, R>

export interface DuePayment<R = never> {
  readonly purpose: PaymentPurpose
  /**
   * What the payment answers, with the chain that it came on; a payout or a sweep answers no deposit and names itself.
   */
  readonly deposit: Pick<Deposit, "onchainId"> & Partial<Pick<Deposit, "chainId">>
  readonly payment: Payment
  /** How long to wait for money that the treasury does not have now. */
  readonly patience: Duration.Duration
  /** In place of `patience`: waits for its turn before anything is signed, until a time in seconds. */
  readonly turn?: {
    readonly until: number
    readonly take: Effect.Effect<boolean, ChainUnavailable | StoreUnavailable, R>
  } | undefined
  /** Nothing is signed after this time, in seconds. */
  readonly notAfter: number | undefined
  /** Asked right before signing: a payment that is no longer due is not signed. Absent where a payment stays owed. */
  readonly isDue?: Effect.Effect<boolean, ChainNotServed | ChainUnavailable | PriceUnavailable | StoreUnavailable, R>
  /** Absent where there is no cost to cover. */
  readonly isBorne?: IsBorne<R> | undefined
  /** The request whose status follows the payment. */
  readonly shown: RequestId | undefined
}

/** The patience of what is owed: it waits for money for as long as it takes. */
export const OWED = Duration.days(365)

/** Moves the request along with the payment; a request that has ended stays as it is. */
export const showStatus = Effect.fnUntraced(function*({ shown }: Pick<DuePayment, "shown">, to: Status) {
  if (shown === undefined) return
  const transfers = yield* Transfers
  yield* transfers.move(shown, { to, at: yield* Clock.currentTimeMillis })
})

/** Waits while any of the chains is halted; true when it had to. */
export const whileHalted = Effect.fnUntraced(
  function*(due: Pick<DuePayment, "payment" | "shown">, chainIds: ReadonlyArray<ChainId>) {
    let waited = false
    while (yield* isHalted(chainIds)) {
      waited = true
      yield* showStatus(due, "delayed")
      yield* Effect.sleep(pollInterval(due.payment.chain))
    }
    return waited
  }
)
