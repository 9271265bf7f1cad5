/** An error of the JSON-RPC interface, with a node's codes and texts: clients decide by them. */
import type { TransactionError } from "../TransactionError.ts"
import { explain } from "../TransactionError.ts"

export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export const invalidParams = (why: string) => new RpcError(-32602, `Invalid params: ${why}`)
export const methodNotFound = () => new RpcError(-32601, "Method not found")
export const cleanedUp = (slot: number, first: number) =>
  new RpcError(-32001, `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`)
export const blockNotAvailable = (slot: number) => new RpcError(-32004, `Block not available for slot ${slot}`)
export const slotSkipped = (slot: number) =>
  new RpcError(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`)
export const signatureVerificationFailure = () => new RpcError(-32003, "Transaction signature verification failure")
const unsupportedVersion = (version: number) =>
  new RpcError(
    -32015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`
  )
/** A reader names the newest version that it knows. One that names none knows those without a number. */
export const assertKnown = (version: 0 | 1 | "legacy", newest: number | undefined): void => {
  if (version !== "legacy" && version > (newest ?? -1)) throw unsupportedVersion(version)
}
export const contextNotReached = (contextSlot: number) =>
  new RpcError(-32016, "Minimum context slot has not been reached", { contextSlot })

/** A node's error when a transaction fails in the simulation before it is sent. */
export const preflightFailure = (error: TransactionError, simulation: Readonly<Record<string, unknown>>) =>
  new RpcError(-32002, `Transaction simulation failed: ${explain(error)}`, { ...simulation, err: error })
