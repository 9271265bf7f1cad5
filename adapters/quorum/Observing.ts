/**
 * Evidence of a chain's transactions under the quorum of its endpoints (QUORUM-1), for any family that defines how one
 * endpoint is read. All endpoints are asked at once. The reading ends as soon as the answers so far decide; when they
 * only agree that nothing is final yet, the other endpoints get a short grace. The judges weigh the evidence, and the
 * domain decides when endpoints agree.
 *
 * Final evidence is cached. Concurrent questions about one transaction share one reading.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import { ChainObserver } from "../../ports/chain/ChainObserver.ts"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { Observation } from "../../src/domain/evidence/TransactionEvidence.ts"
import { isMajority } from "../../src/domain/quorum/EndpointQuorum.ts"
import type { EndpointsDisagree, TooFewAnswers } from "../../src/domain/quorum/QuorumFailure.ts"
import { DEADLINE_MS, openAll } from "./Endpoints.ts"
import type { ObservedEndpoints } from "./Endpoints.ts"
import { FinalEvidence } from "./FinalEvidence.ts"
import { askEndpoints } from "./AskEndpoints.ts"
import type { FamilyReader } from "./AskEndpoints.ts"
import { SharedReadings } from "./SharedReadings.ts"

/** The endpoints of every observed chain of a family. */
export interface FamilyQuorums {
  readonly of: ReadonlyMap<ChainId, ObservedEndpoints>
  /** Deadline of one request to one endpoint, milliseconds. Default 4,000. */
  readonly deadlineMs?: number
}

/** Without a further fiber for a single item, which is the usual case. */
const atOnce = (items: ReadonlyArray<unknown>) => ({ concurrency: items.length === 1 ? 1 : "unbounded" } as const)

const keyOf = (chain: Chain, id: TransactionId): string => `${chain.slug} ${id}`

type ObserveError = ChainUnavailable | TooFewAnswers | EndpointsDisagree

/** The port over the family's endpoints. The scope closes their connections. */
export const makeObserver = Effect.fnUntraced(function*<Client>(
  reader: FamilyReader<Client>,
  { deadlineMs = DEADLINE_MS, of }: FamilyQuorums
): Effect.fn.Return<ChainObserver["Service"], never, Scope.Scope> {
  const endpoints = yield* openAll(of, reader.open)

  const served = (chain: Chain) => {
    const known = endpoints.get(chain.id)
    return known === undefined
      ? Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "observation", kind: "not-served" }))
      : Effect.succeed(known)
  }

  const final = new FinalEvidence()
  /** Concurrent questions share one reading. */
  const readings = new SharedReadings<Observation, ObserveError>()

  const observeOne = (chain: Chain, id: TransactionId, hint: string | undefined) =>
    Effect.suspend(() => {
      const key = keyOf(chain, id)
      const known = final.find(key)
      if (known !== undefined) return Effect.succeed(known)
      const reading = Effect.flatMap(
        served(chain),
        (open) => askEndpoints(reader, open, { chain, id, deadlineMs, hint })
      )
      // A question with a hint has its own reading: with another caller's hint it could fail.
      return Effect.map(readings.get(hint === undefined ? key : `${key} ${hint}`, reading), (seen) => {
        final.keep(key, seen)
        return seen
      })
    })

  const health: ChainObserver["Service"]["health"] = Effect.fnUntraced(function*(chain) {
    const known = endpoints.get(chain.id)
    if (known === undefined) return { needed: 0, hosts: [], answering: [], weak: true }
    const asked = yield* Effect.forEach(
      known.all,
      ({ host, rpc }) =>
        reader.isOn(rpc, chain, deadlineMs).pipe(
          Effect.map((isOn) => isOn ? [host] : []),
          Effect.orElseSucceed(() => [])
        ),
      { concurrency: "unbounded" }
    )
    const { quorum } = known
    return {
      needed: quorum.needed,
      hosts: quorum.hosts,
      answering: [...new Set(asked.flat())],
      weak: quorum.hosts.length < 2 || !isMajority(quorum)
    }
  })

  return ChainObserver.of({
    observe: (chain, ids, hints) => {
      const given = hints?.[chain.family.name]
      const hint = given === undefined ? undefined : reader.hintOf?.(given)
      return Effect.forEach(ids, (id) => observeOne(chain, id, hint), atOnce(ids))
    },
    health
  })
})
