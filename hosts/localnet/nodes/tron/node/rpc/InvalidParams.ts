import { RpcRefusal } from "../../../RpcRefusal.ts"

/** With a Tron node's message. */
export const invalidParams = (message: string): RpcRefusal => new RpcRefusal(-32602, message)
