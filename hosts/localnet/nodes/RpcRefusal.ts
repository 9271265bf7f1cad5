/** A refusal of JSON-RPC, with a node's own code and words. */
export class RpcRefusal extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
