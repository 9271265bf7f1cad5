/**
 * The state of withdrawals at a final block under the quorum of a chain's endpoints (QUORUM-1), for any family that
 * defines how one endpoint is read. The judge derives the status.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import { WithdrawalObserver } from "../../ports/chain/WithdrawalObserver.ts"
import type { SoughtWithdrawal } from "../../ports/chain/WithdrawalObserver.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { Hex, Hex32 } from "../../src/domain/encoding/Hex.ts"
import type { WithdrawalEvidence } from "../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { DEADLINE_MS, openAll } from "./Endpoints.ts"
import type { OpenClient } from "./Endpoints.ts"
import type { FamilyQuorums } from "./Observing.ts"
import { readableHosts, readAtFinal } from "./ReadAtFinal.ts"
import type { AtFinal, FinalReading } from "./ReadAtFinal.ts"

/** How a family reads a withdrawal at one endpoint, and what that reading means. */
export interface WithdrawalReader<A, Client> {
  /** The name of its spans. */
  readonly name: string
  readonly open: OpenClient<Client>
  /** Undefined when the chain's depository has no withdrawals. The chain then counts as not served. */
  readonly reading: (chain: Chain, sought: SoughtWithdrawal) => FinalReading<A, Client> | undefined
  readonly stateOf: (read: AtFinal<A>) => WithdrawalEvidence["state"]
}

/** For a depository that remembers the requests that it has executed. */
export const stateOfUsed = ({ block, headTime, value }: AtFinal<boolean>): WithdrawalEvidence["state"] =>
  value ? { _tag: "Executed", transactionIds: [] } : { _tag: "Unused", finalTime: block.time, headTime }

/** Names no existing withdrawal. Used to ask whether a node answers at all. */
const noWithdrawal: SoughtWithdrawal = { encoded: Hex.make("0x"), id: Hex32.make(`0x${"00".repeat(32)}`) }

/** The port over the family's endpoints. The scope closes their connections. */
export const makeWithdrawalObserver = Effect.fnUntraced(function*<A, Client>(
  { name, open, reading, stateOf }: WithdrawalReader<A, Client>,
  { deadlineMs = DEADLINE_MS, of }: FamilyQuorums
): Effect.fn.Return<WithdrawalObserver["Service"], never, Scope.Scope> {
  const endpoints = yield* openAll(of, open)
  const asked = (chain: Chain, sought: SoughtWithdrawal) => {
    const [opened, asking] = [endpoints.get(chain.id), reading(chain, sought)]
    return opened === undefined || asking === undefined ? undefined : { opened, asking }
  }
  return WithdrawalObserver.of({
    observe: Effect.fn(`${name}.observe`)(function*(chain, sought) {
      const known = asked(chain, sought)
      if (known === undefined) {
        return yield* new ChainUnavailable({ chain: chain.slug, operation: "withdrawal", kind: "not-served" })
      }
      const read = yield* Effect.scoped(readAtFinal(known.asking, known.opened, deadlineMs))
      return { chain: chain.slug, withdrawal: sought.encoded, withdrawalId: sought.id, state: stateOf(read) }
    }),
    readable: (chain) => {
      const known = asked(chain, noWithdrawal)
      return known === undefined ? Effect.succeed([]) : readableHosts(known.asking, known.opened, deadlineMs)
    }
  })
})
