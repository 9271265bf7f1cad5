/**
 * A JSON-RPC node on the loopback with scripted behaviour, for tests of how endpoints are called. Real HTTP, no chain.
 */
import { Effect } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"

/** What a node does with a request: answers, never answers, breaks the connection, or answers with an HTTP status. */
export type Behaviour =
  | { readonly _tag: "Answers"; readonly results: Readonly<Record<string, unknown>> }
  | { readonly _tag: "Silent" }
  | { readonly _tag: "Breaks" }
  | { readonly _tag: "Status"; readonly status: number }
  | { readonly _tag: "Refuses"; readonly message: string }

export interface FakeNode {
  readonly port: number
  /** The methods that were called, in order. */
  readonly asked: Array<string>
  /** The number of connections that were opened. */
  readonly connections: () => number
  readonly authorizations: Array<string | undefined>
  behaves: Behaviour
}

interface Call {
  readonly id: number
  readonly method: string
}

const isList = (body: unknown): body is ReadonlyArray<Call> => Array.isArray(body)

const listen = (server: Server) =>
  new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  )

/** Applies the node's behaviour to the calls of one request. */
const behave = (node: FakeNode, body: Call | ReadonlyArray<Call>, response: ServerResponse): void => {
  const calls = isList(body) ? body : [body]
  const all = (answer: (call: Call) => object): void => {
    const answers = calls.map((call) => ({ jsonrpc: "2.0", id: call.id, ...answer(call) }))
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify(isList(body) ? answers : answers[0])
    )
  }
  node.asked.push(...calls.map(({ method }) => method))
  const told = node.behaves
  switch (told._tag) {
    case "Silent":
      return
    case "Breaks":
      return void response.socket?.destroy()
    case "Status":
      return void response.writeHead(told.status).end("secret-text of a node")
    case "Refuses":
      return all(() => ({ error: { code: -32_000, message: told.message } }))
    case "Answers":
      return all(({ method }) => ({ result: told.results[method] ?? null }))
  }
}

export const startFakeNode = (behaves: Behaviour) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      let opened = 0
      const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
        const body = JSON.parse(await text(request)) as Call | ReadonlyArray<Call>
        node.authorizations.push(request.headers.authorization)
        behave(node, body, response)
      }
      const server = createServer((request, response) => void answerTo(request, response))
      server.on("connection", () => {
        opened += 1
      })
      const node: FakeNode = {
        port: await listen(server),
        asked: [],
        authorizations: [],
        connections: () => opened,
        behaves
      }
      return { node, server }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map(({ node }) => node))
