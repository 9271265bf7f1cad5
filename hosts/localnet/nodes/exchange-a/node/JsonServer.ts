/** An HTTP interface of a simulated exchange on one port of the loopback, with its faults. Ends with the scope. */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:http"
import { setTimeout } from "node:timers/promises"
import { listenOn, textOf } from "../../NodeServer.ts"
import { anyFree } from "../../Port.ts"
import { concernsQuestion } from "./Fault.ts"
import type { ExchangeFault } from "./Fault.ts"

export interface Asked {
  readonly method: string
  /** Path and query. */
  readonly url: URL
  readonly headers: IncomingMessage["headers"]
  readonly text: string
}

export interface Answered {
  /** The question by which faults are selected. */
  readonly question: string
  readonly status: number
  readonly body: unknown
}

/** Whole numbers beyond 2^53 are written as JSON numbers, as exchanges do. */
const jsonOf = (value: unknown): string =>
  (JSON.stringify(value, (_key, each: unknown) => typeof each === "bigint" ? `exactly ${each}` : each) ?? "null")
    .replaceAll(/"exactly (-?\d+)"/g, "$1")

const send = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(jsonOf(body))
}

const answerWith = async (
  response: ServerResponse,
  { body, question, status }: Answered,
  fault: ExchangeFault | undefined
): Promise<void> => {
  if (fault === undefined || !concernsQuestion(fault, question)) return send(response, status, body)
  switch (fault.kind) {
    case "delay":
      await setTimeout(fault.milliseconds)
      return send(response, status, body)
    case "status":
      return send(response, fault.status, fault.body ?? null)
    case "lie":
      return send(response, status, fault.tell(body))
    case "away":
    case "down":
      return void response.destroy()
    case "hang":
  }
}

/** Serves the interface and returns its URL. A question that cannot be answered is a 422 with its reason. */
export const serveJson = Effect.fnUntraced(function*(
  answer: (asked: Asked) => Promise<Answered>,
  fault: () => ExchangeFault | undefined,
  fixed?: number
): Effect.fn.Return<string, never, Scope.Scope> {
  const port = fixed ?? (yield* anyFree)
  const url = `http://127.0.0.1:${port}`
  const server = createServer((request, response) => {
    const answering = async () => {
      const asked = {
        method: request.method ?? "GET",
        url: new URL(request.url ?? "/", url),
        headers: request.headers,
        text: await textOf(request)
      }
      const now = fault()
      if (now?.kind === "away" && concernsQuestion(now, asked.url.pathname.slice(1))) return void response.destroy()
      const answered = await answer(asked).catch((error: unknown): Answered => ({
        question: "",
        status: 422,
        body: { error: String(error) }
      }))
      await answerWith(response, answered, fault())
    }
    void answering()
  })
  yield* listenOn(server, port)
  return url
})
