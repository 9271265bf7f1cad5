/**
 * Withdrawals of exchange B under the quorum of its endpoints (EXCHANGEB-4, QUORUM-1): executed, rejected, or on their
 * way until the exchange's own time has passed. Which status follows is the judge's business.
 */
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { WithdrawalEvidence } from "../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { DEADLINE_MS, openEndpoints } from "../../quorum/Endpoints.ts"
import { readableHosts, readAtFinal } from "../../quorum/ReadAtFinal.ts"
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
        expiresAt: Math.ceil(Number(value.slice("expires ".length)) / 1_000)
      }
  }
}

const noWithdrawal = { encoded: Hex.make("0x"), id: Hex32.make(`0x${"00".repeat(32)}`) }

export const layer = Layer.effect(
  WithdrawalObserver,
  Effect.gen(function*() {
    const quorums = yield* ExchangeBQuorums
    const deadline = quorums.deadlineMs ?? DEADLINE_MS
    const opened = yield* Effect.forEach(
      [...quorums.of],
      ([id, observed]) => Effect.map(openEndpoints(observed, openClient(quorums)), (open) => [id, open] as const)
    )
    const endpoints = new Map(opened)
    return WithdrawalObserver.of({
      observe: Effect.fn("ExchangeBWithdrawals.observe")(function*(chain, sought) {
        const open = endpoints.get(chain.id)
        if (open === undefined) {
          return yield* new ChainUnavailable({ chain: chain.slug, operation: "withdrawal", kind: "not-served" })
        }
        const read = yield* Effect.scoped(readAtFinal(withdrawalReading(chain, sought), open, deadline))
        return { chain: chain.slug, withdrawal: sought.encoded, withdrawalId: sought.id, state: stateOf(read) }
      }),
      readable: (chain) => {
        const open = endpoints.get(chain.id)
        return open === undefined
          ? Effect.succeed([])
          : readableHosts(withdrawalReading(chain, noWithdrawal), open, deadline)
      }
    })
  })
)
