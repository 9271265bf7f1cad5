/** A Tron node on one port of the loopback: `/wallet`, `/walletsolidity` and `/jsonrpc`. */
import { Schema } from "effect"
import type { Effect, Scope } from "effect"
import type { IncomingMessage } from "node:http"
import { answeredWith, StatusAlone } from "../../../NodeFault.ts"
import type { NodeFault } from "../../../NodeFault.ts"
import { serveNode, textOf } from "../../../NodeServer.ts"
import type { Said } from "../../../NodeServer.ts"
import { RpcRefusal } from "../../../RpcRefusal.ts"
import type { Chain } from "../Chain.ts"
import type { Answers, Asked } from "./Answers.ts"
import { callApi } from "./CallApi.ts"
import { ethMethods } from "./EthMethods.ts"
import type { Methods } from "./EthMethods.ts"
import { readApi } from "./ReadApi.ts"
import { sendApi } from "./SendApi.ts"
import { View } from "./View.ts"

const Message = Schema.Struct({
  id: Schema.Unknown,
  method: Schema.String,
  params: Schema.optionalKey(Schema.Array(Schema.Unknown))
})
const decodeBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Union([Message, Schema.Array(Message)])))
const decodeAsked = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const call = async (
  methods: Methods,
  { id, method, params = [] }: typeof Message.Type,
  fault: NodeFault | undefined
) => {
  try {
    const result = await answeredWith(fault, method, params, async () => {
      const known = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (known === undefined) throw new RpcRefusal(-32601, "method not found")
      return known(params)
    })
    return { jsonrpc: "2.0", id, result }
  } catch (cause) {
    if (cause instanceof StatusAlone) throw cause
    const [code, message] = cause instanceof RpcRefusal ? [cause.code, cause.message] : [-32602, "invalid json request"]
    return { jsonrpc: "2.0", id, error: { code, message, data: "{}" } }
  }
}

const rpc = async (methods: Methods, text: string, fault: NodeFault | undefined): Promise<Said> => {
  const asked = decodeBody(text)
  return {
    status: 200,
    body: "method" in asked
      ? await call(methods, asked, fault)
      : await Promise.all(asked.map((each) => call(methods, each, fault)))
  }
}

/** As at a node, errors have status 200. */
const http = async (answers: Answers, path: string, asked: Asked, fault: NodeFault | undefined): Promise<Said> => {
  const name = path.split("/").at(-1) ?? ""
  const known = Object.hasOwn(answers, name) ? answers[name] : undefined
  if (known === undefined) return { status: 404, body: {} }
  try {
    return { status: 200, body: await answeredWith(fault, path, asked, async () => known(asked)) }
  } catch (cause) {
    if (cause instanceof StatusAlone) throw cause
    return { status: 200, body: { Error: cause instanceof Error ? cause.message : String(cause) } }
  }
}

/** Serves the chain until the scope closes. Dies when the port cannot be bound. */
export const serve = (
  chain: Chain,
  port: number,
  fault: () => NodeFault | undefined
): Effect.Effect<void, never, Scope.Scope> => {
  const [latest, solid] = [new View(chain, false), new View(chain, true)]
  const methods = ethMethods(latest)
  const wallet = { ...readApi(latest), ...callApi(latest), ...sendApi(latest) }
  const { triggersmartcontract: _, ...constant } = callApi(solid)
  const walletSolidity = { ...readApi(solid), ...constant }
  const answer = async (request: IncomingMessage): Promise<Said> => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
    const text = await textOf(request)
    if (pathname === "/jsonrpc") return rpc(methods, text, fault())
    const asked = { ...Object.fromEntries(searchParams), ...(text === "" ? {} : decodeAsked(text)) }
    if (pathname.startsWith("/wallet/")) return http(wallet, pathname, asked, fault())
    return pathname.startsWith("/walletsolidity/")
      ? http(walletSolidity, pathname, asked, fault())
      : { status: 404, body: {} }
  }
  return serveNode(port, 400, answer)
}
