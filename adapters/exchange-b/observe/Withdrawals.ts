/**
 * Withdrawals of exchange B under the quorum of its endpoints (EXCHANGEB-4, QUORUM-1): executed, rejected, or in flight
 * until the exchange's own time has passed. The judge derives the status.
 */
import { Effect, Layer } from "effect"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import type { WithdrawalEvidence } from "../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { EXPIRY_MARGIN_MS } from "../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import { makeWithdrawalObserver } from "../../quorum/ObservingWithdrawals.ts"
import type { AtFinal } from "../../quorum/ReadAtFinal.ts"
import { ExchangeBQuorums, openClient } from "./Observer.ts"
import { withdrawalReading } from "./ReadWithdrawal.ts"
import type { Standing } from "./ReadWithdrawal.ts"

const stateOf = ({ headTime, value }: AtFinal<Standing>): WithdrawalEvidence["state"] => {
  switch (value) {
    case "executed":
      return { _tag: "Executed", transactionIds: [] }
    case "over":
      return { _tag: "SpentOtherwise" }
    case "unknown":
      return { _tag: "Unused", finalTime: headTime, headTime }
    default:
      return {
        _tag: "Unused",
        finalTime: headTime,
        headTime,
        // SECURITY: what was executed in its last moment may still be shown as in flight until then (EXCHANGEB-21). It
        // must not be given back besides.
        expiresAt: Math.ceil((Number(value.slice("expires ".length)) + EXPIRY_MARGIN_MS) / 1_000)
      }
  }
}

export const layer = Layer.effect(
  WithdrawalObserver,
  Effect.flatMap(ExchangeBQuorums, (quorums) =>
    makeWithdrawalObserver(
      { name: "ExchangeBWithdrawals", open: openClient(quorums), reading: withdrawalReading, stateOf },
      quorums
    ))
)
