/** An error of JSON-RPC, in the codes of a Tron node. */
export class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const invalidParams = (message: string): RpcError => new RpcError(-32602, message)
