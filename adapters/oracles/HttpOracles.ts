/**
 * Oracles over HTTP (ORACLE-2): one POST for each claim. The answer is bounded before it is decoded.
 *
 * Follows no redirect. Passes on nothing of an answer except what the schemas below accept. SECURITY: a key goes only
 * to its own oracle, and into no log or error.
 */
import { Effect, Layer, Redacted, Schema } from "effect"
import { Agent, errors, request } from "undici"
import { Oracles } from "../../ports/hub/Oracles.ts"
import type { Claim, Oracle, OracleAnswer } from "../../ports/hub/Oracles.ts"
import { RefusalReason } from "../../src/domain/evidence/judges/Refusal.ts"
import { Order } from "../../src/domain/order/Order.ts"
import { decodePeerReply } from "../../src/domain/quorum/PeerReply.ts"

export interface OracleEndpoint {
  /** Without a trailing slash. */
  readonly url: string
  readonly key: Redacted.Redacted | undefined
}

/** An answer for a transaction with very many deposits has a few hundred kilobytes. */
const MOST_BYTES = 1_048_576

const encodeOrder = Schema.encodeSync(Order)
const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))
const decodeRefused = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ reason: Schema.optionalKey(Schema.String) }))
)
const isReason = Schema.is(RefusalReason)

const questionOf = (claim: Claim): { readonly path: string; readonly body: object } => {
  if ("chainId" in claim) return { path: "depository-deposits", body: claim }
  const body = { ...claim, order: encodeOrder(claim.order) }
  return { path: "fill" in claim ? "solver-fills" : "solver-refunds", body }
}

interface Answer {
  readonly status: number
  readonly text: string
}

const isTooLong = (error: unknown): boolean => error instanceof errors.ResponseExceededMaxSizeError

const post = async (agent: Agent, { key, url }: OracleEndpoint, claim: Claim, signal: AbortSignal): Promise<Answer> => {
  const { body: question, path } = questionOf(claim)
  const { body, statusCode } = await request(`${url}/attestations/${path}/v1`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { "x-api-key": Redacted.value(key) }) },
    body: JSON.stringify({ ...question, requestPeerSignatures: true }),
    signal,
    dispatcher: agent
  })
  return { status: statusCode, text: await body.text() }
}

const garbage: OracleAnswer = { _tag: "Failed", why: "garbage" }

const answerOf = ({ status, text }: Answer): Effect.Effect<OracleAnswer> => {
  if (status === 200) {
    return decodeJson(text).pipe(
      Effect.flatMap((body) => Effect.fromResult(decodePeerReply(body))),
      Effect.map(({ execution, isShadow }): OracleAnswer =>
        execution === undefined ? { _tag: "Refused", reason: "no-deposit" } : { _tag: "Attested", execution, isShadow }
      ),
      Effect.orElseSucceed(() => garbage)
    )
  }
  if (status === 400) {
    return decodeRefused(text).pipe(
      Effect.map(({ reason }): OracleAnswer => ({ _tag: "Refused", reason: isReason(reason) ? reason : undefined })),
      Effect.orElseSucceed(() => garbage)
    )
  }
  return Effect.succeed({ _tag: "Failed", why: status === 401 ? "unauthorized" : "unavailable" })
}

const make = (agent: Agent) => (endpoint: OracleEndpoint): Oracle => ({
  name: new URL(endpoint.url).host,
  ask: (claim) =>
    Effect.tryPromise({ try: (signal) => post(agent, endpoint, claim, signal), catch: isTooLong }).pipe(
      Effect.flatMap(answerOf),
      Effect.catch((wasTooLong) =>
        Effect.succeed<OracleAnswer>(wasTooLong ? garbage : { _tag: "Failed", why: "unreachable" })
      )
    )
})

export const layer = (endpoints: ReadonlyArray<OracleEndpoint>) =>
  Layer.effect(
    Oracles,
    Effect.acquireRelease(Effect.sync(() => new Agent({ maxResponseSize: MOST_BYTES })), (agent) =>
      Effect.promise(() => agent.destroy())).pipe(
        Effect.map((agent) =>
          Oracles.of({ all: endpoints.map(make(agent)) })
        )
      )
  )
