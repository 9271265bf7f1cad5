/** What a local Tron node can be made to do wrong, for tests. A fault lasts until the next is set. */
export type Fault = {
  /** JSON-RPC methods (`eth_call`), paths (`/wallet/getnowblock`) or beginnings of paths (`/walletsolidity`): all without it. */
  readonly methods?: ReadonlyArray<string>
} & (
  | { readonly kind: "delay"; readonly milliseconds: number }
  /** Answers with that HTTP status and no JSON. */
  | { readonly kind: "status"; readonly status: number }
  /** Accepts the request and never answers. */
  | { readonly kind: "hang" }
  /** Answers with that JSON-RPC error; the HTTP interface with its words as `Error`. */
  | { readonly kind: "error"; readonly code: number; readonly message: string }
  /** Answers something else: gets the honest result and gives the lie. */
  | { readonly kind: "lie"; readonly tell: (result: unknown, method: string, params: unknown) => unknown }
)

export const concerns = ({ methods }: Fault, method: string): boolean =>
  methods === undefined || methods.some((each) => method === each || (each.startsWith("/") && method.startsWith(each)))
