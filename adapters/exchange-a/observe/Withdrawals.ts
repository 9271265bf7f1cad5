/**
 * Withdrawals of exchange A: whether the depository's account has executed one, under the quorum of the endpoints
 * (EXCHANGEA-7, QUORUM-1). The judge derives the status; age alone never ends a withdrawal.
 */
import { Effect, Layer } from "effect"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import { makeWithdrawalObserver } from "../../quorum/ObservingWithdrawals.ts"
import { ExchangeAQuorums, openClient } from "./Observer.ts"
import { withdrawalReading } from "./ReadWithdrawal.ts"

export const layer = Layer.effect(
  WithdrawalObserver,
  Effect.flatMap(ExchangeAQuorums, (quorums) =>
    makeWithdrawalObserver({
      name: "ExchangeAWithdrawals",
      open: openClient(quorums),
      reading: (chain, { id }) => withdrawalReading(chain, id),
      stateOf: ({ headTime, value }) =>
        value ? { _tag: "Executed", transactionIds: [] } : { _tag: "Unused", finalTime: headTime, headTime }
    }, quorums))
)
