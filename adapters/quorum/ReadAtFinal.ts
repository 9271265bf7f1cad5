/**
 * Reads one fact at a final block, under the quorum of a chain's endpoints (QUORUM-2). First each endpoint is asked for
 * its final height, and the quorum pins one. Then all endpoints that have reached that height are asked for the block
 * and the fact. The family defines how a node is asked.
 *
 * A silent endpoint delays this only briefly: once enough endpoints have answered, the others get a short grace. A
 * missing answer could have changed the height, never the fact. When the answers so far do not decide, or are far
 * apart, all others are waited for. SECURITY: a failed reading has no vote. An endpoint without the state of that block
 * fails.
 */
import { Clock, Effect, Fiber, Queue, Result } from "effect"
import type { Scope } from "effect"
import type { BlockRef } from "../../src/domain/evidence/BlockRef.ts"
import type { Heads } from "../../src/domain/evidence/Finality.ts"
import { agreeOnEvidence } from "../../src/domain/quorum/AgreeOnEvidence.ts"
import type { Agreement, EndpointAnswer } from "../../src/domain/quorum/AgreeOnEvidence.ts"
import { isMajority } from "../../src/domain/quorum/EndpointQuorum.ts"
import type { EndpointsDisagree, TooFewAnswers } from "../../src/domain/quorum/QuorumFailure.ts"
import { pinBlock } from "../../src/domain/quorum/PinnedBlock.ts"
import { countFault, noteDissent } from "./Endpoints.ts"
import type { Endpoint, OpenQuorum } from "./Endpoints.ts"
import type { JsonRpc } from "./rpc/JsonRpc.ts"
import type { ReadFault } from "./ReadFault.ts"

/** The reading at the pinned block. */
export interface AtFinal<A> {
  readonly block: BlockRef
  /** Seconds: the time of the chain's head, as pinned. */
  readonly headTime: number
  readonly value: A
}

export type Seen<A> = Pick<AtFinal<A>, "block" | "value">

/** How a family's nodes are asked. `until`: when all of it must be done, milliseconds. */
export interface FinalReading<A, Client = JsonRpc> {
  /** The chain's name, for logs and metrics. */
  readonly slug: string
  /** What one endpoint on the right chain says. Its final height is −1 when it has no final block. */
  readonly heads: (endpoint: Endpoint<Client>, until: number) => Effect.Effect<Heads, ReadFault>
  /** The block at this height, and the value there. */
  readonly at: (endpoint: Endpoint<Client>, height: bigint, until: number) => Effect.Effect<Seen<A>, ReadFault>
  /**
   * The reading to repeat once when endpoints disagree because some were read later than the pinned block. For families
   * whose nodes keep no state of old blocks. Undefined when that does not explain the disagreement.
   */
  readonly later?: () => FinalReading<A, Client> | undefined
}

const GRACE_MS = 250
/** When the pinned block is this far below the highest final height so far, the other endpoints are waited for. */
const LAG_BLOCKS = 16n

/** The time that is left, in milliseconds. All steps of one reading share it. */
export const remaining = (until: number): Effect.Effect<number, ReadFault> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => until > now ? Effect.succeed(until - now) : Effect.fail("timeout" as const)
  )

const endOf = (deadline: number) => Effect.map(Clock.currentTimeMillis, (now) => now + deadline)

/** A failed reading as undefined. Another node may answer at that address next. */
const orUnheard = <A, Client>(
  slug: string,
  endpoint: Endpoint<Client>,
  reading: Effect.Effect<A, ReadFault>
): Effect.Effect<A | undefined> =>
  reading.pipe(Effect.catch((fault) => {
    endpoint.verified = false
    return Effect.as(countFault(slug, endpoint.host, fault), undefined)
  }))

/**
 * Asks all endpoints at once and passes on each answer as it comes, defects included. The scope cancels the requests.
 */
const hear = Effect.fnUntraced(
  function*<A, Client>(
    endpoints: ReadonlyArray<Endpoint<Client>>,
    read: (endpoint: Endpoint<Client>) => Effect.Effect<A>
  ) {
    type News = Effect.Effect<{ readonly endpoint: Endpoint<Client>; readonly said: A }>
    const news = yield* Queue.unbounded<News>()
    const asking = yield* Effect.forkScoped(Effect.forEach(
      endpoints,
      (endpoint) =>
        Effect.flatMap(
          Effect.exit(read(endpoint)),
          (exit) => Queue.offer(news, Effect.map(exit, (said) => ({ endpoint, said })))
        ),
      { concurrency: "unbounded", discard: true }
    ))
    return {
      next: Effect.flatten(Queue.take(news)),
      /** The other answers that have come by now. */
      others: Effect.flatMap(Effect.orDie(Queue.clear(news)), (come) => Effect.all(come)),
      everybody: Fiber.await(asking)
    }
  }
)

const same = <A>(left: Seen<A>, right: Seen<A>): boolean =>
  left.value === right.value && left.block.hash === right.block.hash && left.block.time === right.block.time

/** Asks the endpoints that have reached the height, until they decide. */
const agreeAt = Effect.fnUntraced(function*<A, Client>(
  { at, slug }: FinalReading<A, Client>,
  { all, quorum }: OpenQuorum<Client>,
  pinned: { readonly finalHeight: bigint; readonly reached: ReadonlyArray<string> },
  deadline: number
): Effect.fn.Return<Result.Result<Agreement<Seen<A>>, TooFewAnswers | EndpointsDisagree>, never, Scope.Scope> {
  const reached = all.filter(({ host }) => pinned.reached.includes(host))
  const until = yield* endOf(deadline)
  const { next } = yield* hear(
    reached,
    (endpoint) => orUnheard(slug, endpoint, at(endpoint, pinned.finalHeight, until))
  )
  const answers: Array<EndpointAnswer<Seen<A>>> = []
  while (true) {
    const { endpoint: { host }, said } = yield* next
    answers.push(said === undefined ? { _tag: "Failed", host } : { _tag: "Answer", host, evidence: said })
    const agreed = agreeOnEvidence(quorum, same<A>, answers)
    // With a majority, later answers cannot change the fact. Below a majority a single dissent refuses.
    if (answers.length === reached.length || (Result.isSuccess(agreed) && isMajority(quorum))) return agreed
  }
}, (reading) => Effect.scoped(reading))

type Heard<Client> = ReadonlyArray<{ readonly endpoint: Endpoint<Client>; readonly said: Heads | undefined }>

const pinAmong = <Client>({ quorum }: OpenQuorum<Client>, heard: Heard<Client>) =>
  pinBlock(
    quorum,
    heard.flatMap(({ endpoint: { host }, said }) =>
      said === undefined || said.finalHeight < 0n ? [] : [{ host, ...said }]
    )
  )

/** A lagging endpoint must not decide the height in place of a slow one: an old block is true, but useless. */
const isFarBehind = <Client>(open: OpenQuorum<Client>, heard: Heard<Client>): boolean => {
  const pinned = pinAmong(open, heard)
  return Result.isSuccess(pinned) &&
    heard.some(({ said }) => said !== undefined && said.finalHeight - pinned.success.finalHeight > LAG_BLOCKS)
}

/** `deadline`: milliseconds for all questions to one endpoint about its head, and as many again for the fact. */
export const readAtFinal = Effect.fnUntraced(function*<A, Client>(
  reading: FinalReading<A, Client>,
  open: OpenQuorum<Client>,
  deadline: number
): Effect.fn.Return<AtFinal<A>, TooFewAnswers | EndpointsDisagree, Scope.Scope> {
  const until = yield* endOf(deadline)
  const { everybody, next, others } = yield* hear(
    open.all,
    (endpoint) => orUnheard(reading.slug, endpoint, reading.heads(endpoint, until))
  )
  const heard: Array<Heard<Client>[number]> = []
  while (true) {
    heard.push(yield* next)
    if (Result.isFailure(pinAmong(open, heard)) && heard.length < open.all.length) continue
    // Below a majority all endpoints are waited for: a single dissent refuses.
    if (heard.length < open.all.length) {
      yield* isMajority(open.quorum)
        ? Effect.raceFirst(Effect.sleep(GRACE_MS), everybody)
        : everybody
    }
    heard.push(...(yield* others))
    if (heard.length < open.all.length && isFarBehind(open, heard)) {
      yield* everybody
      heard.push(...(yield* others))
    }
    const pinned = yield* Effect.fromResult(pinAmong(open, heard))
    const agreed = yield* agreeAt(reading, open, pinned, deadline)
    if (Result.isSuccess(agreed)) {
      yield* noteDissent(reading.slug, agreed.success.dissenting)
      return { ...agreed.success.evidence, headTime: pinned.head.time }
    }
    if (heard.length < open.all.length) continue
    const later = agreed.failure._tag === "EndpointsDisagree" ? reading.later?.() : undefined
    if (later !== undefined) return yield* readAtFinal(later, open, deadline)
    if (agreed.failure._tag === "EndpointsDisagree") {
      yield* Effect.logError(`${reading.slug}: ${agreed.failure.message}: nothing is attested on it`)
    }
    return yield* agreed.failure
  }
}, (read) => Effect.scoped(read))

/** The hosts that can answer the question at their own final block, all within the deadline in milliseconds. */
export const readableHosts = Effect.fnUntraced(
  function*<A, Client>({ at, heads }: FinalReading<A, Client>, { all }: OpenQuorum<Client>, deadline: number) {
    const until = yield* endOf(deadline)
    const hosts = yield* Effect.forEach(all, (endpoint) =>
      heads(endpoint, until).pipe(
        Effect.flatMap(({ finalHeight }) =>
          finalHeight < 0n ? Effect.fail("refused" as const) : at(endpoint, finalHeight, until)
        ),
        Effect.match({ onSuccess: () => [endpoint.host], onFailure: () => [] })
      ), { concurrency: "unbounded" })
    return [...new Set(hosts.flat())]
  }
)
