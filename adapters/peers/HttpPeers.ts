/**
 * Peers over HTTP, each through its own kept-alive connections. Like all our HTTP it does not use fetch, follows no
 * redirect, and ignores proxy settings of the environment.
 *
 * SECURITY: a peer may be hostile. The number of its concurrent requests is bounded, an answer that is too long is cut
 * off, and answers are parsed one at a time, after other waiting work. Keys go into a header of their own request only,
 * and nothing of an answer is kept but the decoded reply.
 */
import { Effect, Layer, Metric, Redacted, Result, Semaphore } from "effect"
import type { Scope } from "effect"
import { setImmediate } from "node:timers/promises"
import { Pool } from "undici"
import type { Dispatcher } from "undici"
import { PeerFailed, Peers } from "../../ports/hub/Peers.ts"
import type { Peer, PeerQuestion } from "../../ports/hub/Peers.ts"
import { decodePeerReply } from "../../src/domain/quorum/PeerReply.ts"
import type { PeerReply } from "../../src/domain/quorum/PeerReply.ts"

/** One entry of PEERS. */
export interface PeerEntry {
  readonly name: string
  /** Without credentials, query and fragment. */
  readonly url: Redacted.Redacted
  /** `pass-through`: the key of the incoming request. */
  readonly key: Redacted.Redacted | "pass-through"
  readonly isShadow: boolean
}

/**
 * Only the answer to a fill echoes its claim, which may have 1 MiB, and adds a few actions. That answer is too long, so
 * we alone sign such a claim.
 */
const MAX_ANSWER_BYTES = 1024 * 1024

/** With the bound above: 32 MiB for each hostile peer. */
const REQUESTS_AT_A_TIME = 32

const CONNECT_MS = 5_000

const durations = Metric.histogram("peer_answer_duration_seconds", {
  description: "seconds from asking a peer to its reply, by peer; of those that gave one",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

const failed = (why: PeerFailed["why"]) => Result.fail(new PeerFailed({ why }))

/** The fault of an answer that is not an attestation. */
const faultOf = (status: number): PeerFailed["why"] =>
  status === 400 ? "refused" : status === 401 || status === 403 ? "unauthorized" : "error"

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const keyOf = ({ key }: PeerEntry, { incomingKey }: PeerQuestion): Redacted.Redacted | undefined =>
  key === "pass-through" ? incomingKey : key

const makePeer = Effect.fnUntraced(
  function*(entry: PeerEntry, parsing: Semaphore.Semaphore): Effect.fn.Return<Peer, never, Scope.Scope> {
    const { origin, pathname } = new URL(Redacted.value(entry.url))
    const base = pathname.replace(/\/+$/u, "")
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() =>
        new Pool(origin, {
          connections: REQUESTS_AT_A_TIME,
          maxResponseSize: MAX_ANSWER_BYTES,
          connect: { timeout: CONNECT_MS }
        })
      ),
      (pool) => Effect.promise(() => pool.destroy())
    )
    const slots = yield* Semaphore.make(REQUESTS_AT_A_TIME)

    const post = async (question: PeerQuestion, signal: AbortSignal): Promise<Result.Result<string, PeerFailed>> => {
      const key = keyOf(entry, question)
      const request: Dispatcher.RequestOptions = {
        path: `${base}${question.path}`,
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(key === undefined ? {} : { "x-api-key": Redacted.value(key) })
        },
        body: question.body,
        signal
      }
      try {
        const { body, statusCode } = await pool.request(request)
        if (statusCode === 200) return Result.succeed(await body.text())
        await body.dump({ limit: MAX_ANSWER_BYTES, signal })
        return failed(faultOf(statusCode))
      } catch (cause) {
        return failed(codeOf(cause) === "UND_ERR_RES_EXCEEDED_MAX_SIZE" ? "garbage" : "error")
      }
    }

    /** Yields first, so that other work of this process comes before it. */
    const parse = (text: string): Effect.Effect<PeerReply, PeerFailed> =>
      Effect.promise(() => setImmediate()).pipe(
        Effect.andThen(
          Effect.sync(() => Result.mapError(decodePeerReply(parsed(text)), () => new PeerFailed({ why: "garbage" })))
        ),
        Effect.flatMap(Effect.fromResult),
        (parse) => parsing.withPermit(parse)
      )

    const ask = Effect.fnUntraced(function*(question: PeerQuestion): Effect.fn.Return<PeerReply, PeerFailed> {
      const from = performance.now()
      const text = yield* Effect.flatMap(Effect.promise((signal) => post(question, signal)), Effect.fromResult)
      const reply = yield* parse(text)
      yield* Metric.update(Metric.withAttributes(durations, { peer: entry.name }), (performance.now() - from) / 1_000)
      return reply
    }, (asking) => slots.withPermit(asking))

    return { name: entry.name, isShadow: entry.isShadow, ask }
  }
)

/** The scope closes the connections. */
export const layer = (entries: ReadonlyArray<PeerEntry>) =>
  Layer.effect(
    Peers,
    Effect.gen(function*() {
      const parsing = yield* Semaphore.make(1)
      return Peers.of({ all: yield* Effect.forEach(entries, (entry) => makePeer(entry, parsing)) })
    })
  )
