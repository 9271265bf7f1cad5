/** A table of JSON-RPC methods: parameters as they came to a result. A method throws `RpcError`. */
export type Methods = Readonly<Record<string, (params: unknown) => unknown>>
