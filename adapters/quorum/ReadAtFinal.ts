/**
 * One fact at a final block, under the quorum of a chain's endpoints (QUORUM-2): first every endpoint's final height,
 * of which the quorum pins one; then the fact and that very block, of all that have reached it. How a node is asked is
 * the family's business.
 *
 * Nobody waits long for an endpoint that is silent: once enough have spoken, the others have a short grace. What they
 * could have changed is the height, never the fact; if those heard so far do not decide, or stand far apart, the others
 * are waited for after all. SECURITY: a reading that fails is no voice. An endpoint without the state of that block
 * fails it.
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

/** What was read at the pinned block. */
export interface AtFinal<A> {
  readonly block: BlockRef
  /** Seconds: the chain's head, as pinned. */
  readonly headTime: number
  readonly value: A
}

export type Seen<A> = Pick<AtFinal<A>, "block" | "value">

/** How a family's nodes are asked; `until`, milliseconds, is when all of it must have been said. */
export interface FinalReading<A, Client = JsonRpc> {
  /** The chain's name, for logs and metrics. */
  readonly slug: string
  /** What one endpoint says of the right chain; its final height is −1 when it holds no block for final. */
  readonly heads: (endpoint: Endpoint<Client>, until: number) => Effect.Effect<Heads, ReadFault>
  /** The block at this height, and the value there. */
  readonly at: (endpoint: Endpoint<Client>, height: bigint, until: number) => Effect.Effect<Seen<A>, ReadFault>
  /**
   * What to ask instead, once, when endpoints differ because some were read later than at the pinned block: for
   * families whose nodes have no state of old blocks. Undefined when that explains nothing.
   */
  readonly later?: () => FinalReading<A, Client> | undefined
}

const GRACE_MS = 250
/** So much lower than the highest that was heard the pinned block may be before the others are waited for. */
const LAG_BLOCKS = 16n

/** What is left of a time, in milliseconds: all steps of one reading share it. */
export const remaining = (until: number): Effect.Effect<number, ReadFault> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => until > now ? Effect.succeed(until - now) : Effect.fail("timeout" as const)
  )

const endOf = (deadline: number) => Effect.map(Clock.currentTimeMillis, (now) => now + deadline)

/** A failed reading as undefined; whoever answers at that address next may be somebody else. */
const orUnheard = <A, Client>(
  slug: string,
  endpoint: Endpoint<Client>,
  reading: Effect.Effect<A, ReadFault>
): Effect.Effect<A | undefined> =>
  reading.pipe(Effect.catch((fault) => {
    endpoint.verified = false
    return Effect.as(countFault(slug, endpoint.host, fault), undefined)
  }))

/** All at once; each is told as it answers, with its defect if it met one. They are taken back with the scope. */
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
      /** What has come besides by now. */
      others: Effect.flatMap(Effect.orDie(Queue.clear(news)), (come) => Effect.all(come)),
      everybody: Fiber.await(asking)
    }
  }
)

const same = <A>(left: Seen<A>, right: Seen<A>): boolean =>
  left.value === right.value && left.block.hash === right.block.hash && left.block.time === right.block.time

/** Asks those that have reached the height, until they decide. */
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
    // A fact that a majority agrees on stands, whatever comes later; below one a single dissent refuses.
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

/** One that lags must not take the place of one that is late: an old block is true, and of no use. */
const isFarBehind = <Client>(open: OpenQuorum<Client>, heard: Heard<Client>): boolean => {
  const pinned = pinAmong(open, heard)
  return Result.isSuccess(pinned) &&
    heard.some(({ said }) => said !== undefined && said.finalHeight - pinned.success.finalHeight > LAG_BLOCKS)
}

/** `deadline`: milliseconds for all that one endpoint is asked about its head, and as many again for the fact. */
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
    // Below a majority everybody is waited for: a single dissent refuses.
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

/**
 * The hosts that can say the fact at the block that they hold for final themselves, all of it within the deadline in
 * milliseconds.
 */
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
