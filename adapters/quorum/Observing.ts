/**
 * Evidence of a chain's transactions under the quorum of its endpoints (QUORUM-1), for any family that brings how one
 * endpoint is read. All are asked at once; as soon as those that have answered decide, nobody waits for the others, and
 * a little later when they only agree that nothing is final yet. Which evidence is worth what is the judges' business,
 * and when endpoints agree is the domain's.
 *
 * Final evidence is kept; whoever asks for the same transaction while it is read waits for that reading.
 */
import { Cache, Effect, Queue, Result } from "effect"
import type { Scope } from "effect"
import { ChainObserver } from "../../ports/chain/ChainObserver.ts"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { Hints } from "../../src/domain/families/Hints.ts"
import type { Observation } from "../../src/domain/evidence/TransactionEvidence.ts"
import type { Agreement } from "../../src/domain/quorum/AgreeOnEvidence.ts"
import { agreeSoFar, standingWithoutMissing } from "../../src/domain/quorum/AgreeSoFar.ts"
import type { EndpointReading, Heard } from "../../src/domain/quorum/AgreeSoFar.ts"
import { isMajority } from "../../src/domain/quorum/EndpointQuorum.ts"
import type { EndpointsDisagree, TooFewAnswers } from "../../src/domain/quorum/QuorumFailure.ts"
import { countFault, DEADLINE_MS, noteDissent, openAll } from "./Endpoints.ts"
import type { Endpoint, ObservedEndpoints, OpenClient } from "./Endpoints.ts"
import { FinalEvidence } from "./FinalEvidence.ts"
import type { ReadFault } from "./ReadFault.ts"
import type { JsonRpc } from "./rpc/JsonRpc.ts"

/** How one endpoint of the family is read; deadlines in milliseconds, for one request. */
export interface FamilyReader<Client = JsonRpc> {
  /** `verify` asks for the chain's identity as well: an endpoint may have become another's since it was asked last. */
  readonly read: (
    rpc: Client,
    chain: Chain,
    id: TransactionId,
    how: { readonly deadline: number; readonly verify: boolean; readonly hint?: string }
  ) => Effect.Effect<EndpointReading, ReadFault>
  /** Whether the endpoint answers, and for this chain. */
  readonly isOn: (rpc: Client, chain: Chain, deadline: number) => Effect.Effect<boolean, ReadFault>
  readonly open: OpenClient<Client>
  /** What `read` is given of the hints of a request, without spaces; families without it have none. */
  readonly hintOf?: (hints: Hints) => string | undefined
}

/** The endpoints of every observed chain of a family. */
export interface FamilyQuorums {
  readonly of: ReadonlyMap<ChainId, ObservedEndpoints>
  /** For one request to one endpoint; 4,000 unless named. */
  readonly deadlineMs?: number
}

/** How long the others are waited for when enough of them agree that there is no fact yet. */
const GRACE_MS = 250

const ask = <Client>(
  { read }: FamilyReader<Client>,
  endpoint: Endpoint<Client>,
  chain: Chain,
  id: TransactionId,
  deadline: number,
  hint: string | undefined
): Effect.Effect<Heard> =>
  read(endpoint.rpc, chain, id, { deadline, verify: !endpoint.verified, ...(hint === undefined ? {} : { hint }) }).pipe(
    Effect.map((reading): Heard => ({ host: endpoint.host, reading })),
    // Whoever answers at this address next may be somebody else.
    Effect.catch((fault) =>
      Effect.as(
        countFault(chain.slug, endpoint.host, fault),
        { host: endpoint.host, reading: undefined } satisfies Heard
      )
    ),
    Effect.tap(({ reading }) =>
      Effect.sync(() => {
        endpoint.verified = reading !== undefined
      })
    )
  )

const keyOf = (chain: Chain, id: TransactionId): string => `${chain.slug} ${id}`

type ObserveError = ChainUnavailable | TooFewAnswers | EndpointsDisagree

/** The port over the family's endpoints; the scope closes their connections. */
export const makeObserver = Effect.fnUntraced(function*<Client>(
  reader: FamilyReader<Client>,
  { deadlineMs = DEADLINE_MS, of }: FamilyQuorums
): Effect.fn.Return<ChainObserver["Service"], never, Scope.Scope> {
  const endpoints = yield* openAll(of, reader.open)

  const served = (chain: Chain, operation: string) => {
    const known = endpoints.get(chain.id)
    return known === undefined
      ? Effect.fail(new ChainUnavailable({ chain: chain.slug, operation, kind: "not-served" }))
      : Effect.succeed(known)
  }

  /** Hears endpoints as they answer, until they decide. */
  const read = Effect.fnUntraced(
    function*(
      chain: Chain,
      id: TransactionId,
      hint: string | undefined
    ): Effect.fn.Return<Observation, ObserveError, Scope.Scope> {
      const { all, quorum } = yield* served(chain, "observation")
      const answers = yield* Queue.unbounded<Heard>()
      yield* Effect.forEach(
        all,
        (endpoint) =>
          Effect.forkScoped(
            Effect.flatMap(ask(reader, endpoint, chain, id, deadlineMs, hint), (heard) => Queue.offer(answers, heard))
          ),
        { discard: true }
      )
      const heard: Array<Heard> = []
      let standing: Agreement<Observation> | undefined
      while (true) {
        const next = Queue.take(answers)
        const answer = yield* standing === undefined
          ? next
          : Effect.timeoutOrElse(next, {
            duration: GRACE_MS,
            orElse: () => Effect.succeed(undefined)
          })
        if (answer === undefined && standing !== undefined) {
          yield* noteDissent(chain.slug, standing.dissenting)
          return standing.evidence
        }
        if (answer !== undefined) {
          heard.push(answer)
        }
        const agreed = agreeSoFar(quorum, heard, all.length - heard.length)
        if (agreed === undefined) {
          standing = heard.length < quorum.needed ? undefined : standingWithoutMissing(quorum, heard)
          continue
        }
        if (Result.isSuccess(agreed)) {
          yield* noteDissent(chain.slug, agreed.success.dissenting)
          return agreed.success.evidence
        }
        if (agreed.failure._tag === "EndpointsDisagree") {
          yield* Effect.logError(`${chain.slug}: ${agreed.failure.message}: nothing is attested on it`)
        }
        return yield* agreed.failure
      }
      // Whoever has not answered by now is not waited for, and its request is taken back.
    },
    (reading, _chain, _id, _hint) => Effect.scoped(reading)
  )

  /** The chains of what is asked for: few, and the same for ever. */
  const chains = new Map<string, Chain>()
  const final = new FinalEvidence()
  /** Who asks for what is being read waits for that reading; it is taken back when nobody waits any more. */
  const readings = yield* Cache.make<string, Observation, ObserveError>({
    lookup: (key) =>
      Effect.suspend(() => {
        const [slug = "", id = "", hint] = key.split(" ")
        const chain = chains.get(slug)
        return chain === undefined
          ? Effect.die(new Error("an observation on no chain"))
          : read(chain, TransactionId.make(id), hint)
      }),
    capacity: Number.POSITIVE_INFINITY
  })

  const observeOne = (chain: Chain, id: TransactionId, hint: string | undefined) =>
    Effect.suspend(() => {
      const key = keyOf(chain, id)
      const known = final.find(key)
      if (known !== undefined) return Effect.succeed(known)
      chains.set(chain.slug, chain)
      // Who says where to look waits for a reading of his own: with another's hint it could fail.
      const reading = hint === undefined ? key : `${key} ${hint}`
      return Cache.get(readings, reading).pipe(
        Effect.tap((seen) => Effect.sync(() => final.keep(key, seen))),
        Effect.ensuring(Cache.invalidate(readings, reading))
      )
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
      const hint = hints === undefined ? undefined : reader.hintOf?.(hints)
      return Effect.forEach(ids, (id) => observeOne(chain, id, hint), { concurrency: "unbounded" })
    },
    health
  })
})
