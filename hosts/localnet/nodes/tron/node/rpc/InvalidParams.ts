import { RpcRefusal } from "../../../RpcRefusal.ts"

/** In the words of a Tron node. */
export const invalidParams = (message: string): RpcRefusal => new RpcRefusal(-32602, message)
