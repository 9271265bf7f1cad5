/**
 * A JSON-RPC node that lies: an HTTP proxy in front of a local chain, with scripted answers.
 *
 * Everything else is forwarded and answered truthfully, batches included. Ends with its scope.
 */
import { Effect, Schema } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage } from "node:http"
import { setTimeout } from "node:timers/promises"

const Call = Schema.Struct({
  id: Schema.Unknown,
  method: Schema.String,
  params: Schema.optionalKey(Schema.Array(Schema.Unknown))
})
export type Call = typeof Call.Type

const Answer = Schema.Struct({ result: Schema.optionalKey(Schema.Unknown), error: Schema.optionalKey(Schema.Unknown) })
export type Answer = typeof Answer.Type

const decodeCalls = Schema.decodeUnknownSync(Schema.Union([Call, Schema.Array(Call)]))
const decodeAnswer = Schema.decodeUnknownSync(Answer)

/** The answer to a whole request, batches included: this HTTP status, or the end of its connection. */
export type Fault = number | "dropped"

/** Replaces the true answer. If it rejects, the node answers 500. */
export type Lie = (call: Call, truth: () => Promise<Answer>) => Promise<Answer>

const faultless = (_request: number): Fault | undefined => undefined

const honest: Lie = (_call, truth) => truth()

export interface LyingNode {
  readonly url: string
  /** Uses only this lie from now on. */
  readonly lie: (lie: Lie) => void
  /** Until the next lie or `truth`. `request` counts from one. */
  readonly fail: (fault: (request: number) => Fault | undefined) => void
  readonly tellTheTruth: () => void
  /** Accepts calls and answers none of them until the next lie or `truth`. */
  readonly hang: () => void
  /** The true answer to another call. */
  readonly ask: (call: Call) => Promise<Answer>
  /** How many requests came. A batch counts once. */
  readonly requests: () => number
  /** How many requests wait for an answer while their client is still connected. */
  readonly pending: () => number
  /** How often a method was called. Default: all methods together. */
  readonly calls: (method?: string) => number
}

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return JSON.parse(text)
}

const ask = async (target: string, call: Call): Promise<Answer> => {
  const response = await fetch(target, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", ...call })
  })
  return decodeAnswer(await response.json())
}

const serve = (target: string) => {
  const state = { lie: honest, fault: faultless }
  const counts = new Map<string, number>()
  const set = (lie: Lie) => {
    state.lie = lie
    state.fault = faultless
  }
  const fail = (fault: typeof faultless) => {
    state.fault = fault
  }

  const answer = async (call: Call) => {
    counts.set(call.method, (counts.get(call.method) ?? 0) + 1)
    const { error, result } = await state.lie(call, () => ask(target, call))
    return { jsonrpc: "2.0", id: call.id, ...(error === undefined ? { result: result ?? null } : { error }) }
  }

  let pending = 0
  let requests = 0
  const server = createServer((request, response) => {
    pending += 1
    requests += 1
    response.once("close", () => {
      pending -= 1
    })
    const fault = state.fault(requests)
    if (fault === "dropped") return void request.socket.destroy()
    if (fault !== undefined) return void response.writeHead(fault).end()
    const answered = async () => {
      const calls = decodeCalls(await bodyOf(request))
      return "method" in calls ? await answer(calls) : await Promise.all(calls.map(answer))
    }
    answered().then(
      (body) => response.setHeader("content-type", "application/json").end(JSON.stringify(body)),
      () => response.writeHead(500).end()
    )
  })

  const hanging: Lie = async (_call, truth) => {
    while (state.lie === hanging) await setTimeout(10)
    return truth()
  }
  const calls = (method?: string) =>
    method === undefined ? [...counts.values()].reduce((sum, count) => sum + count, 0) : counts.get(method) ?? 0
  return {
    server,
    node: {
      lie: set,
      fail,
      tellTheTruth: () => set(honest),
      hang: () => set(hanging),
      ask: (call: Call) => ask(target, call),
      pending: () => pending,
      requests: () => requests,
      calls
    }
  }
}

/** A node in front of the one at `target`, honest until a test changes it. */
export const lyingNode = (target: string) =>
  Effect.acquireRelease(
    Effect.callback<LyingNode & { readonly close: () => void }>((resume) => {
      const { node, server } = serve(target)
      const close = () => {
        node.tellTheTruth()
        server.close()
        server.closeAllConnections()
      }
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ ...node, url: `http://127.0.0.1:${port}`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
