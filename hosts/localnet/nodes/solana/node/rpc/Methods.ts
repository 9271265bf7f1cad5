/** A table of JSON-RPC methods, from undecoded parameters to a result. A method throws `RpcError`. */
export type Methods = Readonly<Record<string, (params: unknown) => unknown>>
