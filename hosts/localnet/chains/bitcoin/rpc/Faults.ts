/** What node and explorer of a local chain can be made to do wrong, for tests. A fault lasts until the next is set. */
export type Fault = { readonly methods?: ReadonlyArray<string> } & (
  | { readonly kind: "delay"; readonly milliseconds: number }
  /** Answers with that HTTP status and no JSON. */
  | { readonly kind: "status"; readonly status: number }
  /** Accepts the request and never answers. */
  | { readonly kind: "hang" }
  /** Answers with that JSON-RPC error, an explorer with its message. */
  | { readonly kind: "error"; readonly code: number; readonly message: string }
  /** Answers something else: gets the honest result and gives the lie. */
  | { readonly kind: "lie"; readonly tell: (result: unknown, method: string, params: unknown) => unknown }
)

/** Of an explorer the method is the path. */
export const concerns = (fault: Fault, method: string): boolean =>
  fault.methods === undefined || fault.methods.some((each) => method === each || (each.startsWith("/") && method.startsWith(each)))
