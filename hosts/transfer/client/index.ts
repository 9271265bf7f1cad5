/**
 * `causeway-kit/client`: a typed client of the transfer service's API, on `fetch` alone.
 *
 * Wallets and the verification of quotes are imports of their own: `causeway-kit/client/ethereum`, `…/solana`, `…/bitcoin`,
 * `…/tron`, `…/verify` (docs/integrate.md).
 */
export { type Client, type ClientOptions, createClient, type QuoteRequest, type QuoteVerifier } from "./Client.ts"
export { ClientError, type ClientErrorKind, type ClientErrorParts } from "./ClientError.ts"
export { type ExecuteOptions, type Quote, type QuoteStep, requestIdOf } from "./Execute.ts"
export type { Answer, Input, Operation } from "./Operations.ts"
export type { CallOptions } from "./Requests.ts"
export { hasEnded, type IntentStatus, type TrackOptions } from "./Track.ts"
export type { SignRequest, TransactionData, Wallet } from "./Wallet.ts"
