/**
 * A transaction tried on a node, unsigned and without being sent.
 *
 * The node puts a blockhash of its own in the place of the transaction's: one that it does not know yet, or that has
 * just expired, says nothing of what the transaction does, and a deposit must not go back for it. An expired one is
 * signed anew (Landing.ts).
 */
import { getBase64EncodedWireTransaction } from "@solana/kit"
import type { Address, Transaction } from "@solana/kit"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"

/**
 * What a node says that the transaction would do now, and to the accounts that are `watched`; `err` is null when it
 * would be carried out.
 */
export const simulate = async (client: SolanaClient, transaction: Transaction, watched: ReadonlyArray<Address> = []) =>
  (await client.simulateTransaction(getBase64EncodedWireTransaction(transaction), {
    commitment: "confirmed",
    encoding: "base64",
    sigVerify: false,
    replaceRecentBlockhash: true,
    accounts: { encoding: "base64", addresses: [...watched] }
  }).send()).value
