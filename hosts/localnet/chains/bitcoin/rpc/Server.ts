/** Node and explorer of a chain on one port of the loopback: JSON-RPC by POST to `/`, Esplora below `/api`, tokens at `/oauth/token`. */
import { Effect, Schema } from "effect"
import type { Scope } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Chain } from "../Chain.ts"
import { Access } from "./Access.ts"
import type { AccessRule } from "./Access.ts"
import { coreMethods } from "./CoreMethods.ts"
import type { Methods } from "./CoreMethods.ts"
import { esplora } from "./Esplora.ts"
import type { Said } from "./Esplora.ts"
import { concerns } from "./Faults.ts"
import type { Fault } from "./Faults.ts"
import { RpcRefusal } from "./RpcRefusal.ts"

const Message = Schema.Struct({ id: Schema.Unknown, method: Schema.String, params: Schema.optionalKey(Schema.Array(Schema.Unknown)) })
const decodeBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Union([Message, Schema.Array(Message)])))

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Whoever asked is told nothing but this. */
class Broken extends Error {
  readonly status: number
  constructor(status: number) {
    super(`HTTP ${status}`)
    this.status = status
  }
}

/** The result as the fault of the moment wants it. */
const faulty = async (fault: Fault | undefined, method: string, params: unknown, honest: () => Promise<unknown>): Promise<unknown> => {
  if (fault === undefined || !concerns(fault, method)) return honest()
  switch (fault.kind) {
    case "delay":
      await new Promise((resolve) => setTimeout(resolve, fault.milliseconds))
      return honest()
    case "hang":
      return new Promise(() => {})
    case "status":
      throw new Broken(fault.status)
    case "error":
      throw new RpcRefusal(fault.code, fault.message)
    case "lie":
      return fault.tell(await honest(), method, params)
  }
}

const call = async (methods: Methods, { id, method, params = [] }: typeof Message.Type, fault: Fault | undefined) => {
  const honest = async () => {
    const known = methods[method]
    if (known === undefined) throw new RpcRefusal(-32601, "Method not found")
    return known(params)
  }
  try {
    return { result: await faulty(fault, method, params, honest), error: null, id }
  } catch (cause) {
    if (!(cause instanceof RpcRefusal)) throw cause
    return { result: null, error: { code: cause.code, message: cause.message }, id }
  }
}

/** One that is refused is an error of HTTP too, as Core has it; a batch never is. */
const rpc = async (methods: Methods, text: string, fault: Fault | undefined): Promise<Said> => {
  const asked = decodeBody(text)
  if (!("method" in asked)) return { status: 200, body: await Promise.all(asked.map((each) => call(methods, each, fault))) }
  const answered = await call(methods, asked, fault)
  return { status: answered.error === null ? 200 : 500, body: answered }
}

export interface Served {
  readonly access: Access
}

export interface Faults {
  readonly node: () => Fault | undefined
  readonly explorer: () => Fault | undefined
}

const write = (response: ServerResponse, { body, status }: Said): void => {
  const isText = typeof body === "string"
  response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json" }).end(isText ? body : JSON.stringify(body))
}

/** Serves the chain until the scope closes. Dies when the port cannot be had. */
export const serve = (chain: Chain, port: number, faults: Faults, rule: AccessRule): Effect.Effect<Served, never, Scope.Scope> => {
  const access = new Access(rule)
  const methods = coreMethods(chain)
  const explore = async (method: string, path: string, request: IncomingMessage): Promise<Said> => {
    if (!access.allows(request.headers)) return { status: 401, body: "unauthorized" }
    const text = await textOf(request)
    const said = await esplora(chain, method, path, text)
    try {
      return { status: said.status, body: await faulty(faults.explorer(), path, text, () => Promise.resolve(said.body)) }
    } catch (cause) {
      if (cause instanceof RpcRefusal) return { status: 400, body: cause.message }
      throw cause
    }
  }
  const answer = async (request: IncomingMessage): Promise<Said> => {
    const { method = "GET", url = "/" } = request
    if (url.startsWith("/api/")) return explore(method, url.slice("/api".length), request)
    if (url === "/oauth/token") return access.token(await textOf(request))
    return rpc(methods, await textOf(request), faults.node())
  }
  const server = createServer((request, response) => {
    answer(request).then((said) => write(response, said), (cause: unknown) => {
      response.writeHead(cause instanceof Broken ? cause.status : 500).end()
    })
  })
  return Effect.acquireRelease(
    Effect.callback<Served>((resume) => {
      server.once("error", (cause) => resume(Effect.die(cause)))
      server.listen(port, "127.0.0.1", () => resume(Effect.succeed({ access })))
    }),
    () => Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )
}
