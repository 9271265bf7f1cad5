/** Faults of a local node's interfaces, for tests. A fault lasts until the next one is set. */
import { setTimeout } from "node:timers/promises"
import { RpcRefusal } from "./RpcRefusal.ts"

export type NodeFault =
  & {
    /**
     * JSON-RPC methods (`eth_call`), paths (`/wallet/getnowblock`) or prefixes of paths (`/walletsolidity`). Without
     * it: all.
     */
    readonly methods?: ReadonlyArray<string>
  }
  & (
    | { readonly kind: "delay"; readonly milliseconds: number }
    /** Answers with that HTTP status, without JSON. */
    | { readonly kind: "status"; readonly status: number }
    /** Accepts the request and never answers. */
    | { readonly kind: "hang" }
    /** Answers with that JSON-RPC error. Other interfaces answer with its message. */
    | { readonly kind: "error"; readonly code: number; readonly message: string }
    /** Answers falsely: `tell` gets the honest result and returns the false one. */
    | { readonly kind: "lie"; readonly tell: (result: unknown, method: string, params: unknown) => unknown }
  )

/** The answer is only this status. */
export class StatusAlone extends Error {
  readonly status: number
  constructor(status: number) {
    super(`HTTP ${status}`)
    this.status = status
  }
}

const concerns = ({ methods }: NodeFault, method: string): boolean =>
  methods === undefined || methods.some((each) => method === each || (each.startsWith("/") && method.startsWith(each)))

/** The result as the current fault changes it. Where there are no methods, `method` is the path. */
export const answeredWith = async (
  fault: NodeFault | undefined,
  method: string,
  params: unknown,
  honest: () => Promise<unknown>
): Promise<unknown> => {
  if (fault === undefined || !concerns(fault, method)) return honest()
  switch (fault.kind) {
    case "delay":
      await setTimeout(fault.milliseconds)
      return honest()
    case "hang":
      return new Promise(() => {})
    case "status":
      throw new StatusAlone(fault.status)
    case "error":
      throw new RpcRefusal(fault.code, fault.message)
    case "lie":
      return fault.tell(await honest(), method, params)
  }
}
