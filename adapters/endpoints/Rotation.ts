/**
 * Calls the endpoints of a family's chains, in order of preference. A logical read uses one endpoint from start to end,
 * so an answer never mixes two nodes. A read under the quorum asks all endpoints at once until enough agree.
 *
 * Before its first use, and after every failure but that of too many questions, an endpoint must confirm that it serves
 * the right chain. One that did not answer, or is on another chain, comes last for a while, so that it does not slow down
 * every read. One that contradicts the quorum is left out of single reads for longer (QUORUM-6). The family defines how a
 * node is called, how it identifies its chain and what its failures mean (`EndpointFamily`).
 *
 * SECURITY: errors of nodes and clients can contain URLs with keys. Only the kind of a failure leaves `AskEndpoint`.
 */
import { Clock, Effect, Queue, Result } from "effect"
import type { Redacted, Scope } from "effect"
import type { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { ReadBy } from "../../ports/chain/ReadBy.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import { makeEndpointQuorum, makeSolverQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import type { EndpointQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import { again, askingWith, inOrder, openEndpoint, unavailableOn, usual } from "./AskEndpoint.ts"
import type { Deadlines, Endpoint, EndpointFamily, Run } from "./AskEndpoint.ts"
import { askSeveral } from "./AskSeveral.ts"
import type { HostAnswer, IsEnough } from "./AskSeveral.ts"
import { askAll, readByQuorum } from "./QuorumReading.ts"
import type { WitnessedRead } from "./QuorumReading.ts"

/** The endpoints of a family's chains, for reading and writing. */
export interface ListedEndpoints {
  /** In order of preference. */
  readonly urls: ReadonlyMap<ChainId, ReadonlyArray<Redacted.Redacted>>
  /** How many hosts of a chain must agree on reads under its quorum (`rpcQuorum`). Default: more than half. */
  readonly quorums?: ReadonlyMap<ChainId, number>
  /**
   * How long an endpoint that contradicts its quorum is left out of single reads, in milliseconds; an hour by default.
   */
  readonly leftOutMs?: number
  /** For how long quotes may use the same answers again, in milliseconds (`FACTS_MAX_AGE_MS`); never by default. */
  readonly factsMaxAgeMs?: number
}

/** The endpoints of a family's chains: reads by one after another, and by the quorum. Its errors carry no URL. */
export interface Rotation<Client> {
  /** Runs `call` against one endpoint of the chain. Every failure is `ChainUnavailable`. */
  readonly call: <A>(
    chain: Chain,
    operation: string,
    call: Run<Client, A>
  ) => Effect.Effect<A, ChainUnavailable>
  /**
   * The answer of one endpoint, or of the quorum, as `by` asks. Answers that `read.rests` selects always need the
   * quorum. Where a single host decides, its answer is the quorum's.
   */
  readonly witnessed: <A>(
    chain: Chain,
    read: WitnessedRead<Client, A>,
    by: ReadBy
  ) => Effect.Effect<A, ChainUnavailable>
  /**
   * Runs `call` against as many hosts as the quorum needs, one after the other, and returns their answers, each with
   * its host: fewer liars than the quorum needs are not all of them. A host that fails is replaced by another one. While
   * the answers are not enough, further hosts are asked.
   */
  readonly several: <A>(
    chain: Chain,
    operation: string,
    call: Run<Client, A>,
    isEnough?: IsEnough<A>
  ) => Effect.Effect<ReadonlyArray<HostAnswer<A>>, ChainUnavailable>
  /** True when a single host decides: its answer is the quorum's. */
  readonly isAlone: (chain: Chain) => boolean
  /**
   * Runs `call` against all endpoints of the chain at once and passes the answers so far to `decide`, one for each
   * host, until it decides. Slower endpoints are not waited for.
   */
  readonly agreed: <A, B>(
    chain: Chain,
    operation: string,
    call: (client: Client) => Promise<A>,
    decide: (answers: ReadonlyArray<A>, needed: number) => B | undefined
  ) => Effect.Effect<B, ChainUnavailable>
}

/** How long an endpoint is left out of single reads once it has contradicted its quorum. */
export const LEFT_OUT_MS = 3_600_000

/** The endpoints of one chain. */
interface OpenChain<Client> {
  readonly all: ReadonlyArray<Endpoint<Client>>
  /** Undefined when the configured quorum can never be reached. */
  readonly quorum: EndpointQuorum | undefined
  /** Decides reads that money depends on. */
  readonly solver: EndpointQuorum | undefined
}

const NO_ENDPOINTS: OpenChain<never> = { all: [], quorum: undefined, solver: undefined }

/** Opens the endpoints; the scope closes them. */
export const makeRotation = Effect.fnUntraced(function*<Client>(
  family: EndpointFamily<Client>,
  { leftOutMs = LEFT_OUT_MS, quorums, urls }: ListedEndpoints,
  { endpointMs, requestMs }: Deadlines = usual
): Effect.fn.Return<Rotation<Client>, never, Scope.Scope> {
  const chains = new Map(
    yield* Effect.forEach(
      urls,
      ([id, listed]) =>
        Effect.map(
          Effect.forEach(listed, (url) => openEndpoint(family, url, requestMs)),
          (all): readonly [ChainId, OpenChain<Client>] => [id, {
            all,
            quorum: Result.getOrUndefined(makeEndpointQuorum(all.map(({ host }) => host), quorums?.get(id))),
            solver: Result.getOrUndefined(makeSolverQuorum(all.map(({ host }) => host), quorums?.get(id)))
          }]
        )
    )
  )
  const askOne = askingWith(family, endpointMs)
  const opened = ({ id }: Chain): OpenChain<Client> => chains.get(id) ?? NO_ENDPOINTS

  const callOne = Effect.fnUntraced(
    function*<A>(chain: Chain, operation: string, run: Run<Client, A>) {
      const { all } = opened(chain)
      const ordered = inOrder(all, yield* Clock.currentTimeMillis)
      const [first, ...others] = ordered.map((endpoint) =>
        Effect.map(askOne(endpoint, chain, operation, run), (answer) => ({ answer, endpoint }))
      )
      // Endpoints that are left out stay left out, even when no other endpoint remains.
      if (first === undefined) {
        return yield* unavailableOn(chain, operation)(all.length === 0 ? "not-served" : "divided")
      }
      return yield* again(others.reduce((tried, next) => tried.pipe(Effect.catch(() => next)), first))
    }
  )

  const call = <A>(chain: Chain, operation: string, run: Run<Client, A>) =>
    Effect.map(callOne(chain, operation, run), ({ answer }) => answer)

  const scope = yield* Effect.scope

  const agreed = Effect.fnUntraced(function*<A, B>(
    chain: Chain,
    operation: string,
    run: (client: Client) => Promise<A>,
    decide: (answers: ReadonlyArray<A>, needed: number) => B | undefined
  ): Effect.fn.Return<B, ChainUnavailable, Scope.Scope> {
    const unavailable = unavailableOn(chain, operation)
    const { all, quorum } = opened(chain)
    if (quorum === undefined) return yield* unavailable("not-served")
    const answers = yield* askAll(askOne, all, chain, operation, run)
    const said = new Map<string, A>()
    let fault: ChainUnavailable | undefined
    for (let left = all.length; left > 0; left -= 1) {
      const { heard, host } = yield* Queue.take(answers)
      if (Result.isFailure(heard)) {
        fault = heard.failure
        continue
      }
      if (!said.has(host)) said.set(host, heard.success)
      const decided = decide([...said.values()], quorum.needed)
      if (decided !== undefined) return decided
    }
    return yield* said.size < quorum.needed && fault !== undefined ? fault : unavailable("behind")
  }, (reading) => Effect.scoped(reading))

  const several = <A>(chain: Chain, operation: string, run: Run<Client, A>, isEnough?: IsEnough<A>) => {
    const { all, solver } = opened(chain)
    return solver === undefined
      ? unavailableOn(chain, operation)("not-served")
      : askSeveral(askOne, { all, needed: solver.needed }, chain, operation, run, isEnough)
  }

  const isAlone = (chain: Chain): boolean => {
    const { solver } = opened(chain)
    return solver === undefined || solver.needed === 1
  }

  const witnessed = Effect.fnUntraced(
    function*<A>(chain: Chain, read: WitnessedRead<Client, A>, by: ReadBy): Effect.fn.Return<A, ChainUnavailable> {
      const { all, solver } = opened(chain)
      const quorum = solver === undefined || isAlone(chain)
        ? undefined
        : { all, askOne, leftOutMs, quorum: solver, scope }
      if (quorum !== undefined && by === "quorum") return yield* readByQuorum(quorum, chain, read, undefined)
      const one = yield* callOne(chain, read.operation, read.call)
      return quorum === undefined || !read.rests(one.answer)
        ? one.answer
        : yield* readByQuorum(quorum, chain, read, one)
    }
  )

  return { agreed, call, isAlone, several, witnessed }
})
