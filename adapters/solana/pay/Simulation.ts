/**
 * Simulates a transaction on a node, unsigned and without sending it.
 *
 * The node replaces the blockhash with its own. A blockhash that the node does not know yet, or that has just expired,
 * says nothing about what the transaction does, and must not cause a refund. An expired transaction is signed again
 * (Landing.ts).
 */
import { getBase64EncodedWireTransaction } from "@solana/kit"
import type { Address, Transaction } from "@solana/kit"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"

/** The node's result for the transaction now, and for the `watched` accounts. `err` is null when it would succeed. */
export const simulate = async (client: SolanaClient, transaction: Transaction, watched: ReadonlyArray<Address> = []) =>
  (await client.simulateTransaction(getBase64EncodedWireTransaction(transaction), {
    commitment: "confirmed",
    encoding: "base64",
    sigVerify: false,
    replaceRecentBlockhash: true,
    accounts: { encoding: "base64", addresses: [...watched] }
  }).send()).value
