/** Answers one JSON-RPC message, over any transport. */
import { Schema } from "effect"
import type { Methods } from "./Methods.ts"
import { methodNotFound, RpcError } from "./RpcError.ts"

export const Message = Schema.Struct({
  id: Schema.Unknown,
  method: Schema.String,
  params: Schema.optionalKey(Schema.Unknown)
})
export type Message = typeof Message.Type

export const failure = (id: unknown, code: number, message: string, data?: unknown) => ({
  jsonrpc: "2.0",
  error: { code, message, data },
  id
})

export const success = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", result: result ?? null, id })

/** Runs a method of the table; `amend` may change its result. */
export const dispatch = (
  methods: Methods,
  { id, method, params }: Message,
  amend: (result: unknown) => unknown = (result) => result
): unknown => {
  try {
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (run === undefined) throw methodNotFound()
    return success(id, amend(run(params ?? [])))
  } catch (cause) {
    if (cause instanceof RpcError) return failure(id, cause.code, cause.message, cause.data)
    return failure(id, -32603, `Internal error: ${String(cause)}`)
  }
}
