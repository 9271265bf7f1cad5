/**
 * Withdrawals of a Solana cluster: whether the depository program has the account of a used request, at a final slot
 * under the quorum of the cluster's endpoints (SOLANA-5, QUORUM-1). Which status follows is the judge's business.
 */
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { usedRequestOf } from "../../../src/domain/families/solana/evidence/Programs.ts"
import type { WithdrawalEvidence } from "../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { DEADLINE_MS, jsonRpc, openEndpoints } from "../../quorum/Endpoints.ts"
import { readableHosts, readAtFinal } from "../../quorum/ReadAtFinal.ts"
import type { AtFinal } from "../../quorum/ReadAtFinal.ts"
import { SolanaQuorums } from "./Observer.ts"
import { usedRequestReading } from "./ReadUsedRequest.ts"
import { solanaStyle } from "../rpc/SolanaStyle.ts"

const stateOf = ({ block, headTime, value }: AtFinal<boolean>): WithdrawalEvidence["state"] =>
  value ? { _tag: "Executed", transactionIds: [] } : { _tag: "Unused", finalTime: block.time, headTime }

const noWithdrawal = Hex32.make(`0x${"00".repeat(32)}`)

export const layer = Layer.effect(
  WithdrawalObserver,
  Effect.gen(function*() {
    const { deadlineMs = DEADLINE_MS, of } = yield* SolanaQuorums
    const opened = yield* Effect.forEach(
      [...of],
      ([id, observed]) => Effect.map(openEndpoints(observed, jsonRpc(solanaStyle)), (open) => [id, open] as const)
    )
    const endpoints = new Map(opened)
    /** The endpoints of a chain and the account to look for; not there where the chain is not served. */
    const asked = (chain: Chain, id: Hex32) => {
      const [open, account] = [endpoints.get(chain.id), usedRequestOf(chain.depository, id)]
      return open === undefined || account === undefined
        ? undefined
        : { open, reading: usedRequestReading(chain, account) }
    }
    return WithdrawalObserver.of({
      observe: Effect.fn("SolanaWithdrawals.observe")(function*(chain, { encoded, id }) {
        const known = asked(chain, id)
        if (known === undefined) {
          return yield* new ChainUnavailable({ chain: chain.slug, operation: "withdrawal", kind: "not-served" })
        }
        const read = yield* Effect.scoped(readAtFinal(known.reading, known.open, deadlineMs))
        return { chain: chain.slug, withdrawal: encoded, withdrawalId: id, state: stateOf(read) }
      }),
      readable: (chain) => {
        const known = asked(chain, noWithdrawal)
        return known === undefined ? Effect.succeed([]) : readableHosts(known.reading, known.open, deadlineMs)
      }
    })
  })
)
