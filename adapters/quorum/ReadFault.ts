/**
 * Why an endpoint's reading is no voice: it did not answer, or not with what could be an answer of the right chain; or it does not
 * have all of the past (`pruned`) and so cannot know that something is not there.
 */
import type { RpcFault } from "./rpc/Deadline.ts"

export type ReadFault = RpcFault | "wrong-chain" | "contradiction" | "undecodable" | "over-quota" | "pruned"
