/**
 * Faults of a chain's interface, for tests: slow, broken, silent, forgetful, or lying. A fault applies to some methods
 * or to all, until the next one is set. Subscriptions are not affected.
 */
export type Fault =
  & { readonly methods?: ReadonlyArray<string> }
  & (
    | { readonly kind: "delay"; readonly milliseconds: number }
    /** Answers with that HTTP status and no JSON. */
    | { readonly kind: "status"; readonly status: number }
    /** Accepts the request and never answers. */
    | { readonly kind: "hang" }
    /** Answers with that JSON-RPC error. */
    | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown }
    /**
     * Has nothing of the slots from `from` to `to`. From 0 it is a node that prunes its ledger, otherwise one that
     * jumped over them.
     */
    | { readonly kind: "forgets"; readonly from: number; readonly to: number }
    /**
     * Answers falsely: `tell` gets the honest result (bigints where a node has large numbers) and returns the false
     * one.
     */
    | { readonly kind: "lie"; readonly tell: (result: unknown, method: string, params: unknown) => unknown }
  )

export const concerns = (fault: Fault, method: string): boolean =>
  fault.methods === undefined || fault.methods.includes(method)
