/** What a client needs of a user's wallet. One implementation a family; each is an import of its own. */
import type { SignatureStep, TransactionStep } from "../../../src/domain/quote/wire/Step.ts"

/** What a transaction item asks a wallet to send. */
export type TransactionData = TransactionStep["items"][number]["data"]

/** What a signature item asks a wallet to sign. */
export type SignRequest = SignatureStep["items"][number]["data"]["sign"]

/** Rejects when the user or the chain refuses. A client never asks a second time for the same item. */
export interface Wallet {
  /** Signs and sends exactly this, on the chain that the quote starts from. Returns the transaction's id. */
  readonly send: (data: TransactionData) => Promise<string>
  /** Resolves when the transaction has succeeded on the chain, and rejects when it has failed. */
  readonly succeeded: (id: string) => Promise<void>
  /** Absent for a wallet that signs transactions only. */
  readonly sign?: (request: SignRequest) => Promise<string>
}
