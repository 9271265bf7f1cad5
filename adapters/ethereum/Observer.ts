/**
 * Evidence of an EVM chain under the quorum of its endpoints (spec/4 §8). All are asked at once; as soon as those that have
 * answered decide, nobody waits for the others, and a little later when they only agree that nothing is final yet. Which
 * evidence is worth what is the judges' business, and when endpoints agree is the domain's.
 *
 * Final evidence is kept; whoever asks for the same transaction while it is read waits for that reading.
 */
import { Cache, Context, Effect, Layer, Metric, Queue, Redacted, Result } from "effect"
import type { Scope } from "effect"
import { ChainObserver } from "../../ports/ChainObserver.ts"
import { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { Observation } from "../../src/domain/evidence/TransactionEvidence.ts"
import type { Agreement } from "../../src/domain/quorum/AgreeOnEvidence.ts"
import { agreeSoFar, standingWithoutMissing } from "../../src/domain/quorum/AgreeSoFar.ts"
import type { Heard } from "../../src/domain/quorum/AgreeSoFar.ts"
import { hostOf, isMajority, makeEndpointQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import type { EndpointQuorum, ImpossibleQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import type { EndpointsDisagree, TooFewAnswers } from "../../src/domain/quorum/QuorumFailure.ts"
import { FinalEvidence } from "./quorum/FinalEvidence.ts"
import { makeJsonRpc } from "./rpc/JsonRpc.ts"
import type { JsonRpc } from "./rpc/JsonRpc.ts"
import { readTransaction } from "./quorum/ReadTransaction.ts"

export interface ObservedEndpoints {
  readonly quorum: EndpointQuorum
  readonly urls: ReadonlyArray<Redacted.Redacted>
}

const hostOfUrl = (url: Redacted.Redacted): string => hostOf(Redacted.value(url)) ?? "invalid"

/** The quorum over some URLs; more than half of their hosts must agree unless `needed` names another number. */
export const observedEndpoints = (
  urls: ReadonlyArray<Redacted.Redacted>,
  needed?: number
): Result.Result<ObservedEndpoints, ImpossibleQuorum> =>
  Result.map(makeEndpointQuorum(urls.map(hostOfUrl), needed), (quorum) => ({ quorum, urls }))

/** The endpoints of every EVM chain that is observed, with how many of them must agree. */
export class EthereumQuorums extends Context.Service<EthereumQuorums, {
  readonly of: ReadonlyMap<ChainId, ObservedEndpoints>
  /** For one request to one endpoint, milliseconds; 4,000 unless named. An observation takes two of them, and a little. */
  readonly deadlineMs?: number
}>()("causeway/adapters/ethereum/EthereumQuorums") {}

const DEADLINE_MS = 4_000

/** How long the others are waited for when enough of them agree that there is no fact yet. */
const GRACE_MS = 250

interface Endpoint {
  readonly rpc: JsonRpc
  readonly host: string
  /** True while it is known to be on the right chain. */
  verified: boolean
}

const faults = Metric.counter("endpoint_faults_total", { description: "readings that an endpoint did not give, by chain, host and kind", incremental: true })
const dissents = Metric.counter("endpoint_dissents_total", { description: "endpoints that said otherwise than their quorum, by chain and host", incremental: true })

const countFault = (chain: string, host: string, fault: string) => Metric.update(Metric.withAttributes(faults, { chain, host, fault }), 1)

const ask = (endpoint: Endpoint, chain: Chain, id: TransactionId, deadline: number): Effect.Effect<Heard> =>
  readTransaction(endpoint.rpc, chain, id, { deadline, verify: !endpoint.verified }).pipe(
    Effect.map((reading): Heard => ({ host: endpoint.host, reading })),
    // Whoever answers at this address next may be somebody else.
    Effect.catch((fault) =>
      Effect.as(countFault(chain.slug, endpoint.host, fault), { host: endpoint.host, reading: undefined } satisfies Heard)),
    Effect.tap(({ reading }) => Effect.sync(() => { endpoint.verified = reading !== undefined }))
  )

const keyOf = (chain: Chain, id: TransactionId): string => `${chain.slug} ${id}`

type ObserveError = ChainUnavailable | TooFewAnswers | EndpointsDisagree

export const layer = Layer.effect(
  ChainObserver,
  Effect.gen(function*() {
    const { deadlineMs = DEADLINE_MS, of } = yield* EthereumQuorums
    const opened = yield* Effect.forEach([...of], ([id, { quorum, urls }]) =>
      Effect.map(
        Effect.forEach(urls, (url) => Effect.map(makeJsonRpc(url), (rpc): Endpoint => ({ rpc, host: hostOfUrl(url), verified: false }))),
        (all) => [id, { quorum, all }] as const
      ))
    const endpoints = new Map(opened)

    const served = (chain: Chain, operation: string) => {
      const known = endpoints.get(chain.id)
      return known === undefined ? Effect.fail(new ChainUnavailable({ chain: chain.slug, operation, kind: "not-served" })) : Effect.succeed(known)
    }

    const noteDissent = (chain: Chain, dissenting: ReadonlyArray<string>) =>
      Effect.forEach(dissenting, (host) => Metric.update(Metric.withAttributes(dissents, { chain: chain.slug, host }), 1), { discard: true }).pipe(
        Effect.andThen(dissenting.length === 0 ? Effect.void : Effect.logError(`${chain.slug}: endpoints say otherwise than the quorum: ${dissenting.join(", ")}`))
      )

    /** Hears endpoints as they answer, until they decide. */
    const read = Effect.fnUntraced(function*(chain: Chain, id: TransactionId): Effect.fn.Return<Observation, ObserveError, Scope.Scope> {
      const { all, quorum } = yield* served(chain, "observation")
      const answers = yield* Queue.unbounded<Heard>()
      yield* Effect.forEach(all, (endpoint) => Effect.forkScoped(Effect.flatMap(ask(endpoint, chain, id, deadlineMs), (heard) => Queue.offer(answers, heard))), { discard: true })
      const heard: Array<Heard> = []
      let standing: Agreement<Observation> | undefined
      while (true) {
        const next = Queue.take(answers)
        const answer = yield* standing === undefined ? next : Effect.timeoutOrElse(next, { duration: GRACE_MS, orElse: () => Effect.succeed(undefined) })
        if (answer === undefined && standing !== undefined) {
          yield* noteDissent(chain, standing.dissenting)
          return standing.evidence
        }
        if (answer !== undefined) heard.push(answer)
        const agreed = agreeSoFar(quorum, heard, all.length - heard.length)
        if (agreed === undefined) {
          standing = heard.length < quorum.needed ? undefined : standingWithoutMissing(quorum, heard)
          continue
        }
        if (Result.isSuccess(agreed)) {
          yield* noteDissent(chain, agreed.success.dissenting)
          return agreed.success.evidence
        }
        if (agreed.failure._tag === "EndpointsDisagree") yield* Effect.logError(`${chain.slug}: ${agreed.failure.message}: nothing is attested on it`)
        return yield* agreed.failure
      }
      // Whoever has not answered by now is not waited for, and its request is taken back.
    }, (reading, _chain, _id) => Effect.scoped(reading))

    /** The chains of what is asked for: few, and the same for ever. */
    const chains = new Map<string, Chain>()
    const final = new FinalEvidence()
    /** Who asks for what is being read waits for that reading; it is taken back when nobody waits any more. */
    const readings = yield* Cache.make<string, Observation, ObserveError>({
      lookup: (key) =>
        Effect.suspend(() => {
          const [slug = "", id = ""] = key.split(" ")
          const chain = chains.get(slug)
          return chain === undefined ? Effect.die(new Error("an observation on no chain")) : read(chain, TransactionId.make(id))
        }),
      capacity: Number.POSITIVE_INFINITY
    })

    const observeOne = (chain: Chain, id: TransactionId) =>
      Effect.suspend(() => {
        const key = keyOf(chain, id)
        const known = final.find(key)
        if (known !== undefined) return Effect.succeed(known)
        chains.set(chain.slug, chain)
        return Cache.get(readings, key).pipe(
          Effect.tap((seen) => Effect.sync(() => final.keep(key, seen))),
          Effect.ensuring(Cache.invalidate(readings, key))
        )
      })

    const health: ChainObserver["Service"]["health"] = Effect.fnUntraced(function*(chain) {
      const known = endpoints.get(chain.id)
      if (known === undefined) return { needed: 0, hosts: [], answering: [], weak: true }
      const asked = yield* Effect.forEach(known.all, ({ host, rpc }) =>
        rpc.batch([{ method: "eth_chainId", params: [] }], deadlineMs).pipe(
          Effect.map(([answer]) => typeof answer === "string" && Number(answer) === chain.id ? [host] : []),
          Effect.orElseSucceed(() => [])
        ), { concurrency: "unbounded" })
      const { quorum } = known
      return { needed: quorum.needed, hosts: quorum.hosts, answering: [...new Set(asked.flat())], weak: quorum.hosts.length < 2 || !isMajority(quorum) }
    })

    return ChainObserver.of({
      observe: (chain, ids) => Effect.forEach(ids, (id) => observeOne(chain, id), { concurrency: "unbounded" }),
      health
    })
  })
)
