/** A payment that is due, with the conditions for signing it. */
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
import { seemsHalted } from "../deposits/halt/Halting.ts"
import { Followers } from "../following/Followers.ts"

/** Whether a payment's first transaction is signed, or one that replaces it at a higher fee. */
export type SigningStage = "first" | "replacement"

/** True when the costs of the transaction to be signed are covered. */
export type IsBorne<R = never> = (
  prepared: Pick<PreparedPayment, "mostGas" | "runsCode">,
  stage: SigningStage
) => Effect.Effect<boolean, PriceUnavailable | StoreUnavailable, R>

export interface DuePayment<R = never> {
  readonly purpose: PaymentPurpose
  /** The deposit behind the payment, with its chain. A payout or a sweep has no deposit and names itself. */
  readonly deposit: Pick<Deposit, "onchainId"> & Partial<Pick<Deposit, "chainId">>
  readonly payment: Payment
  /** The payment as it is to be signed now, where that depends on what the chain shows. `payment` elsewhere. */
  readonly asOfNow?: Effect.Effect<Payment, ChainUnavailable | StoreUnavailable, R>
  /** How long to wait for money that the treasury does not have. */
  readonly patience: Duration.Duration
  /** In place of `patience`: waits for its turn before anything is signed, until a time in seconds. */
  readonly turn?: {
    readonly until: number
    readonly take: Effect.Effect<boolean, ChainUnavailable | StoreUnavailable, R>
  } | undefined
  /** Nothing is signed after this time, in seconds. */
  readonly notAfter: number | undefined
  /** Checked right before signing: a payment that is no longer due is not signed. Absent when a payment stays owed. */
  readonly isDue?: Effect.Effect<boolean, ChainNotServed | ChainUnavailable | PriceUnavailable | StoreUnavailable, R>
  /**
   * The most that it may leave with its recipient for an account that it opens, smallest units of the chain's native
   * currency: what its price holds for that. Absent when it may open one whatever that costs.
   */
  readonly rent?: bigint | undefined
  /**
   * Gas or energy that its price holds for strangers' code that it runs (PRICE-26). Absent where the code may take what
   * the chain lets it.
   */
  readonly codeUnits?: bigint | undefined
  /** Absent when there is no cost to cover. */
  readonly isBorne?: IsBorne<R> | undefined
  /** The request whose status follows the payment. */
  readonly shown: RequestId | undefined
}

/** The patience of an owed payment: it waits for money as long as it takes. */
export const OWED = Duration.days(365)

/** Updates the request's status with the payment. A request that has ended stays unchanged. */
export const showStatus = Effect.fnUntraced(function*({ shown }: Pick<DuePayment, "shown">, to: Status) {
  if (shown === undefined) return
  const transfers = yield* Transfers
  yield* transfers.move(shown, { to, at: yield* Clock.currentTimeMillis })
})

/**
 * Waits while any of the chains seems halted. True when it had to wait. SECURITY: whoever goes on asks again where it
 * matters (`seemsHalted`).
 */
export const whileHalted = Effect.fnUntraced(
  function*(due: Pick<DuePayment, "payment" | "shown">, chainIds: ReadonlyArray<ChainId>) {
    const followers = yield* Followers
    const { payment: { chain } } = due
    let waited = false
    while (true) {
      const seen = yield* followers.seen(chain, "waits")
      if (!(yield* seemsHalted(chainIds))) return waited
      waited = true
      yield* showStatus(due, "delayed")
      yield* followers.moved(chain, seen)
    }
  }
)
