/**
 * Node and explorer of a chain on one port of the loopback: JSON-RPC by POST to `/`, Esplora below `/api`, tokens at
 * `/oauth/token`.
 */
import { Effect, Schema } from "effect"
import type { Scope } from "effect"
import type { IncomingMessage } from "node:http"
import { answeredWith } from "../../../NodeFault.ts"
import type { NodeFault } from "../../../NodeFault.ts"
import { serveNode, textOf } from "../../../NodeServer.ts"
import type { Said } from "../../../NodeServer.ts"
import { RpcRefusal } from "../../../RpcRefusal.ts"
import type { Chain } from "../Chain.ts"
import { Access } from "./Access.ts"
import type { AccessRule } from "./Access.ts"
import { coreMethods } from "./CoreMethods.ts"
import type { Methods } from "./CoreMethods.ts"
import { esplora } from "./Esplora.ts"

const Message = Schema.Struct({
  id: Schema.Unknown,
  method: Schema.String,
  params: Schema.optionalKey(Schema.Array(Schema.Unknown))
})
const decodeBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Union([Message, Schema.Array(Message)])))

const call = async (
  methods: Methods,
  { id, method, params = [] }: typeof Message.Type,
  fault: NodeFault | undefined
) => {
  const honest = async () => {
    const known = methods[method]
    if (known === undefined) throw new RpcRefusal(-32601, "Method not found")
    return known(params)
  }
  try {
    return { result: await answeredWith(fault, method, params, honest), error: null, id }
  } catch (cause) {
    if (!(cause instanceof RpcRefusal)) throw cause
    return { result: null, error: { code: cause.code, message: cause.message }, id }
  }
}

/** As in Core, a refused call is also an HTTP error. A batch never is. */
const rpc = async (methods: Methods, text: string, fault: NodeFault | undefined): Promise<Said> => {
  const asked = decodeBody(text)
  if (!("method" in asked)) {
    return {
      status: 200,
      body: await Promise.all(asked.map((each) => call(methods, each, fault)))
    }
  }
  const answered = await call(methods, asked, fault)
  return { status: answered.error === null ? 200 : 500, body: answered }
}

export interface Served {
  readonly access: Access
}

export interface Faults {
  readonly node: () => NodeFault | undefined
  readonly explorer: () => NodeFault | undefined
}

/** Serves the chain until the scope closes. Dies when the port cannot be bound. */
export const serve = (
  chain: Chain,
  port: number,
  faults: Faults,
  rule: AccessRule
): Effect.Effect<Served, never, Scope.Scope> => {
  const access = new Access(rule)
  const methods = coreMethods(chain)
  const explore = async (method: string, path: string, request: IncomingMessage): Promise<Said> => {
    if (!access.allows(request.headers)) return { status: 401, body: "unauthorized" }
    const text = await textOf(request)
    const said = await esplora(chain, method, path, text)
    try {
      return {
        status: said.status,
        body: await answeredWith(faults.explorer(), path, text, () => Promise.resolve(said.body))
      }
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
  return Effect.as(serveNode(port, 500, answer), { access })
}
