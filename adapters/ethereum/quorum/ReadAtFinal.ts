/**
 * One call of a contract at a final block, under the quorum of a chain's endpoints (spec/4 §8): first every endpoint's final
 * height, of which the quorum pins one; then the call and the block's own header at exactly that height, of all that have
 * reached it.
 *
 * Nobody waits long for an endpoint that is silent: once enough have spoken, the others have a short grace. What they could
 * have changed is the height, never the fact; if those heard so far do not decide, or stand far apart, the others are waited
 * for after all.
 * SECURITY: a call that fails is no voice. An endpoint without the state of that block fails it.
 */
import { Clock, Effect, Fiber, Queue, Result } from "effect"
import type { Scope } from "effect"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { Heads } from "../../../src/domain/evidence/Finality.ts"
import { agreeOnEvidence } from "../../../src/domain/quorum/AgreeOnEvidence.ts"
import type { Agreement, EndpointAnswer } from "../../../src/domain/quorum/AgreeOnEvidence.ts"
import { isMajority } from "../../../src/domain/quorum/EndpointQuorum.ts"
import type { EndpointsDisagree, TooFewAnswers } from "../../../src/domain/quorum/QuorumFailure.ts"
import { pinBlock } from "../../../src/domain/quorum/PinnedBlock.ts"
import { countFault, noteDissent } from "./Endpoints.ts"
import type { Endpoint, OpenQuorum } from "./Endpoints.ts"
import { asBlock, blockAt, quantity, readFinalHeads, remaining } from "./ReadFinalHeads.ts"
import type { FinalChain } from "./ReadFinalHeads.ts"
import type { ReadFault } from "./ReadTransaction.ts"

/** A call without a sender, and what its 32-byte result says; undefined for a result that is none. */
export interface FinalCall<A> {
  readonly to: string
  readonly data: string
  readonly valueOf: (word: bigint) => A | undefined
}

/** What the call returned at the pinned block. */
export interface AtFinal<A> {
  readonly block: BlockRef
  /** Seconds: the chain's head, as pinned. */
  readonly headTime: number
  readonly value: A
}

type Seen<A> = Pick<AtFinal<A>, "block" | "value">

const GRACE_MS = 250
/** So much lower than the highest that was heard the pinned block may be before the others are waited for. */
const LAG_BLOCKS = 16n

const endOf = (deadline: number) => Effect.map(Clock.currentTimeMillis, (now) => now + deadline)

const WORD = /^0x[0-9a-f]{64}$/i

/** The call at this height, as one endpoint answers it. */
const readAt = Effect.fnUntraced(function*<A>({ rpc }: Endpoint, height: bigint, call: FinalCall<A>, until: number): Effect.fn.Return<Seen<A>, ReadFault> {
  const at = quantity(height)
  const [header, result] = yield* rpc.batch([blockAt(at), { method: "eth_call", params: [{ to: call.to, data: call.data }, at] }], yield* remaining(until))
  const { hash, number, timestamp } = yield* asBlock(header)
  if (number !== height) return yield* Effect.fail("contradiction" as const)
  const value = typeof result === "string" && WORD.test(result) ? call.valueOf(BigInt(result)) : undefined
  return value === undefined ? yield* Effect.fail("undecodable" as const) : { block: { height, hash, time: timestamp }, value }
})

/** A failed reading as undefined; whoever answers at that address next may be somebody else. */
const orUnheard = <A>(chain: FinalChain, endpoint: Endpoint, reading: Effect.Effect<A, ReadFault>): Effect.Effect<A | undefined> =>
  reading.pipe(Effect.catch((fault) => {
    endpoint.verified = false
    return Effect.as(countFault(chain.slug, endpoint.host, fault), undefined)
  }))

/** All at once; each is told as it answers, with its defect if it met one. They are taken back with the scope. */
const hear = Effect.fnUntraced(function*<A>(endpoints: ReadonlyArray<Endpoint>, read: (endpoint: Endpoint) => Effect.Effect<A>) {
  type News = Effect.Effect<{ readonly endpoint: Endpoint; readonly said: A }>
  const news = yield* Queue.unbounded<News>()
  const asking = yield* Effect.forkScoped(Effect.forEach(
    endpoints,
    (endpoint) => Effect.flatMap(Effect.exit(read(endpoint)), (exit) => Queue.offer(news, Effect.map(exit, (said) => ({ endpoint, said })))),
    { concurrency: "unbounded", discard: true }
  ))
  return {
    next: Effect.flatten(Queue.take(news)),
    /** What has come besides by now. */
    others: Effect.flatMap(Effect.orDie(Queue.clear(news)), (come) => Effect.all(come)),
    everybody: Fiber.await(asking)
  }
})

const same = <A>(left: Seen<A>, right: Seen<A>): boolean =>
  left.value === right.value && left.block.hash === right.block.hash && left.block.time === right.block.time

/** Asks those that have reached the height, until they decide. */
const agreeAt = Effect.fnUntraced(function*<A>(
  chain: FinalChain,
  { all, quorum }: OpenQuorum,
  pinned: { readonly finalHeight: bigint; readonly reached: ReadonlyArray<string> },
  call: FinalCall<A>,
  deadline: number
): Effect.fn.Return<Result.Result<Agreement<Seen<A>>, TooFewAnswers | EndpointsDisagree>, never, Scope.Scope> {
  const reached = all.filter(({ host }) => pinned.reached.includes(host))
  const until = yield* endOf(deadline)
  const { next } = yield* hear(reached, (endpoint) => orUnheard(chain, endpoint, readAt(endpoint, pinned.finalHeight, call, until)))
  const answers: Array<EndpointAnswer<Seen<A>>> = []
  while (true) {
    const { endpoint: { host }, said } = yield* next
    answers.push(said === undefined ? { _tag: "Failed", host } : { _tag: "Answer", host, evidence: said })
    const agreed = agreeOnEvidence(quorum, same<A>, answers)
    // A fact that a majority agrees on stands, whatever comes later; below one a single dissent refuses.
    if (answers.length === reached.length || (Result.isSuccess(agreed) && isMajority(quorum))) return agreed
  }
}, (reading) => Effect.scoped(reading))

type Heard = ReadonlyArray<{ readonly endpoint: Endpoint; readonly said: Heads | undefined }>

const pinAmong = ({ quorum }: OpenQuorum, heard: Heard) =>
  pinBlock(quorum, heard.flatMap(({ endpoint: { host }, said }) => said === undefined || said.finalHeight < 0n ? [] : [{ host, ...said }]))

/** One that lags must not take the place of one that is late: an old block is true, and of no use. */
const isFarBehind = (open: OpenQuorum, heard: Heard): boolean => {
  const pinned = pinAmong(open, heard)
  return Result.isSuccess(pinned) && heard.some(({ said }) => said !== undefined && said.finalHeight - pinned.success.finalHeight > LAG_BLOCKS)
}

/** `deadline`: milliseconds for all that one endpoint is asked about its head, and as many again for the call. */
export const readAtFinal = Effect.fnUntraced(function*<A>(
  chain: FinalChain,
  open: OpenQuorum,
  call: FinalCall<A>,
  deadline: number
): Effect.fn.Return<AtFinal<A>, TooFewAnswers | EndpointsDisagree, Scope.Scope> {
  const until = yield* endOf(deadline)
  const { everybody, next, others } = yield* hear(open.all, (endpoint) => orUnheard(chain, endpoint, readFinalHeads(endpoint, chain, until)))
  const heard: Array<Heard[number]> = []
  while (true) {
    heard.push(yield* next)
    if (Result.isFailure(pinAmong(open, heard)) && heard.length < open.all.length) continue
    // Below a majority everybody is waited for: a single dissent refuses.
    if (heard.length < open.all.length) yield* isMajority(open.quorum) ? Effect.raceFirst(Effect.sleep(GRACE_MS), everybody) : everybody
    heard.push(...(yield* others))
    if (heard.length < open.all.length && isFarBehind(open, heard)) {
      yield* everybody
      heard.push(...(yield* others))
    }
    const pinned = yield* Effect.fromResult(pinAmong(open, heard))
    const agreed = yield* agreeAt(chain, open, pinned, call, deadline)
    if (Result.isSuccess(agreed)) {
      yield* noteDissent(chain.slug, agreed.success.dissenting)
      return { ...agreed.success.evidence, headTime: pinned.head.time }
    }
    if (heard.length < open.all.length) continue
    if (agreed.failure._tag === "EndpointsDisagree") yield* Effect.logError(`${chain.slug}: ${agreed.failure.message}: nothing is attested on it`)
    return yield* agreed.failure
  }
}, (reading) => Effect.scoped(reading))

/** The hosts that can answer a call at the block that they hold for final themselves, all of it within the deadline in milliseconds. */
export const readableHosts = Effect.fnUntraced(function*<A>(chain: FinalChain, { all }: OpenQuorum, call: FinalCall<A>, deadline: number) {
  const until = yield* endOf(deadline)
  const hosts = yield* Effect.forEach(all, (endpoint) =>
    readFinalHeads(endpoint, chain, until).pipe(
      Effect.flatMap(({ finalHeight }) => finalHeight < 0n ? Effect.fail("refused" as const) : readAt(endpoint, finalHeight, call, until)),
      Effect.match({ onSuccess: () => [endpoint.host], onFailure: () => [] })
    ), { concurrency: "unbounded" })
  return [...new Set(hosts.flat())]
})
