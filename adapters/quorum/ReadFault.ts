/** Why an endpoint's reading is no voice: it did not answer, or not with what could be an answer of the right chain. */
import type { RpcFault } from "./rpc/JsonRpc.ts"

export type ReadFault = RpcFault | "wrong-chain" | "contradiction" | "undecodable"
