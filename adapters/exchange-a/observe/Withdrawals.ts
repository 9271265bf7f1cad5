/**
 * Withdrawals of exchange A: whether the depository's account has executed one, under the quorum of the endpoints
 * (EXCHANGEA-7, QUORUM-1). Which status follows is the judge's business; age alone never ends one.
 */
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import { NO_ORDER } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import { DEADLINE_MS, openEndpoints } from "../../quorum/Endpoints.ts"
import { readableHosts, readAtFinal } from "../../quorum/ReadAtFinal.ts"
import { ExchangeAQuorums, openClient } from "./Observer.ts"
import { withdrawalReading } from "./ReadWithdrawal.ts"

export const layer = Layer.effect(
  WithdrawalObserver,
  Effect.gen(function*() {
    const quorums = yield* ExchangeAQuorums
    const deadline = quorums.deadlineMs ?? DEADLINE_MS
    const opened = yield* Effect.forEach(
      [...quorums.of],
      ([id, observed]) => Effect.map(openEndpoints(observed, openClient(quorums)), (open) => [id, open] as const)
    )
    const endpoints = new Map(opened)
    return WithdrawalObserver.of({
      observe: Effect.fn("ExchangeAWithdrawals.observe")(function*(chain, { encoded, id }) {
        const open = endpoints.get(chain.id)
        if (open === undefined) {
          return yield* new ChainUnavailable({ chain: chain.slug, operation: "withdrawal", kind: "not-served" })
        }
        const { headTime, value } = yield* Effect.scoped(readAtFinal(withdrawalReading(chain, id), open, deadline))
        return {
          chain: chain.slug,
          withdrawal: encoded,
          withdrawalId: id,
          state: value ? { _tag: "Executed", transactionIds: [] } : { _tag: "Unused", finalTime: headTime, headTime }
        }
      }),
      readable: (chain) => {
        const open = endpoints.get(chain.id)
        return open === undefined
          ? Effect.succeed([])
          : readableHosts(withdrawalReading(chain, NO_ORDER), open, deadline)
      }
    })
  })
)
