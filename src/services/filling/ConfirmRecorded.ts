/**
 * Confirms a deposit as it was recorded. A scan believes one endpoint, so what is recorded may not be what the chain
 * has: another amount, order or depositor under the deposit's id. SECURITY: nothing is paid by such a record. Its
 * sighting ends as gone, and what the quorum shows is recorded in its place and handled as a new sighting (QUORUM-11).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import type { Sighting } from "../../../ports/store/orders/Deposits.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { setForeignAside } from "../deposits/watch/ForeignDeposits.ts"
import { confirmDeposit } from "./ConfirmDeposit.ts"
import type { Confirmation } from "./ConfirmDeposit.ts"

/** Idempotent: a crash in between leads to the same record. */
const correct = Effect.fnUntraced(function*(recorded: Deposit, sighting: number, shown: Deposit) {
  const deposits = yield* Deposits
  const now = yield* Clock.currentTimeMillis
  yield* Effect.logError(
    `an endpoint has misreported the deposit ${recorded.transactionId}: ${recorded.amount} for ${recorded.depositId}; the quorum shows ${shown.amount} for ${shown.depositId}`
  )
  const { ours: [named] } = yield* setForeignAside([shown])
  if (named === undefined) yield* deposits.close(recorded.onchainId, sighting, "gone", now)
  else yield* deposits.correct(sighting, named)
})

/**
 * `user`: whose exposure cap applies. `release`: run before the record names another order, after which nobody knows
 * what was held for this one.
 */
export const confirmRecorded = Effect.fnUntraced(
  function*<R>(
    chain: Chain,
    { deposit, sighting }: Sighting,
    user: Address,
    release: Effect.Effect<void, StoreUnavailable, R>
  ): Effect.fn.Return<
    Confirmation,
    Effect.Error<ReturnType<typeof confirmDeposit> | ReturnType<typeof correct>>,
    R | Effect.Services<ReturnType<typeof confirmDeposit> | ReturnType<typeof correct>>
  > {
    const confirmed = yield* confirmDeposit(chain, deposit, user)
    if (confirmed._tag !== "Misreported") return confirmed
    yield* release
    yield* correct(deposit, sighting, confirmed.shown)
    return { _tag: "Gone" }
  }
)
