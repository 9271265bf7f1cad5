/**
 * Withdrawals of a Tron chain: whether the depository has used a call request, in the solidified state under the quorum
 * of the chain's nodes (TRON-3, QUORUM-1). Which status follows is the judge's business.
 */
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { WithdrawalEvidence } from "../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { DEADLINE_MS, openEndpoints } from "../../quorum/Endpoints.ts"
import { readableHosts, readAtFinal } from "../../quorum/ReadAtFinal.ts"
import type { AtFinal } from "../../quorum/ReadAtFinal.ts"
import { TronQuorums } from "./Observer.ts"
import { callRequestReading } from "./ReadCallRequest.ts"
import { openTron } from "../rpc/TronNode.ts"

const stateOf = ({ block, headTime, value }: AtFinal<boolean>): WithdrawalEvidence["state"] =>
  value ? { _tag: "Executed", transactionIds: [] } : { _tag: "Unused", finalTime: block.time, headTime }

const noWithdrawal = Hex32.make(`0x${"00".repeat(32)}`)

export const layer = Layer.effect(
  WithdrawalObserver,
  Effect.gen(function*() {
    const { deadlineMs = DEADLINE_MS, of } = yield* TronQuorums
    const opened = yield* Effect.forEach(
      [...of],
      ([id, observed]) => Effect.map(openEndpoints(observed, openTron), (open) => [id, open] as const)
    )
    const endpoints = new Map(opened)
    return WithdrawalObserver.of({
      observe: Effect.fn("TronWithdrawals.observe")(function*(chain, { encoded, id }) {
        const open = endpoints.get(chain.id)
        if (open === undefined) {
          return yield* new ChainUnavailable({ chain: chain.slug, operation: "withdrawal", kind: "not-served" })
        }
        const read = yield* Effect.scoped(readAtFinal(callRequestReading(chain, id), open, deadlineMs))
        return { chain: chain.slug, withdrawal: encoded, withdrawalId: id, state: stateOf(read) }
      }),
      readable: (chain) => {
        const open = endpoints.get(chain.id)
        return open === undefined
          ? Effect.succeed([])
          : readableHosts(callRequestReading(chain, noWithdrawal), open, deadlineMs)
      }
    })
  })
)
