/**
 * What a chain's interface can be made to do wrong, for tests: slow, broken,
 * silent, forgetful, or lying. A fault is of some methods or of all, and lasts until the
 * next is set. Subscriptions are not affected.
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
     * Has nothing of the slots from `from` to `to`: from 0 one that prunes its ledger, else one that jumped over them.
     */
    | { readonly kind: "forgets"; readonly from: number; readonly to: number }
    /** Answers something else: gets the honest result (bigints where a node has large numbers) and gives the lie. */
    | { readonly kind: "lie"; readonly tell: (result: unknown, method: string, params: unknown) => unknown }
  )

export const concerns = (fault: Fault, method: string): boolean =>
  fault.methods === undefined || fault.methods.includes(method)
