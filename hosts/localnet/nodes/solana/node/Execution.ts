/**
 * Runs one transaction in a bank and returns what a node reports of it: balances before and after, fee, inner
 * instructions, logs.
 *
 * The fee is the difference in the sum of the lamports: nothing else takes any. The ledger has checked blockhash and
 * duplicates before.
 */
import type { Address } from "@solana/kit"
import { getAddressDecoder, getBase58Decoder, getBase64Decoder } from "@solana/kit"
import { FailedTransactionMetadata } from "litesvm"
import type { TransactionMetadata } from "litesvm"
import type { Account } from "./Account.ts"
import type { Bank } from "./Bank.ts"
import type { Meta } from "./Record.ts"
import type { Loaded, Submitted } from "./Submitted.ts"
import { loadedAddresses } from "./Submitted.ts"
import { tokenBalances } from "./TokenAccount.ts"
import type { TransactionError } from "./TransactionError.ts"
import { transactionError } from "./TransactionError.ts"

export interface Executed {
  readonly keys: ReadonlyArray<Address>
  readonly meta: Meta
  /** False when it failed before it could be charged. Then it is in no block, and has changed nothing. */
  readonly charged: boolean
  readonly error: TransactionError | null
}

const addressAt = (data: Uint8Array, offset: number): Address => getAddressDecoder().decode(data, offset)

/** The keys of a transaction by index, and which of them come from lookup tables. */
export const keysOf = (
  bank: Bank,
  submitted: Submitted
): { readonly keys: ReadonlyArray<Address>; readonly loaded: Loaded } => {
  const loaded = loadedAddresses(submitted, (address) => bank.read(address), addressAt)
  return { keys: [...submitted.message.staticAccounts, ...loaded.writable, ...loaded.readonly], loaded }
}

const innerInstructions = (metadata: TransactionMetadata): Meta["innerInstructions"] =>
  metadata.innerInstructions().flatMap((inner, index) =>
    inner.length === 0 ? [] : [{
      index,
      instructions: inner.map((each) => {
        const instruction = each.instruction()
        return {
          programIdIndex: instruction.programIdIndex(),
          accounts: [...instruction.accounts()],
          data: getBase58Decoder().decode(instruction.data()),
          stackHeight: each.stackHeight()
        }
      })
    }]
  )

/** What a program returned, in a node's form. Undefined when it returned nothing. */
export const returnDataOf = (metadata: TransactionMetadata): Meta["returnData"] => {
  const returned = metadata.returnData()
  if (returned.data().length === 0) return undefined
  return { programId: addressAt(returned.programId(), 0), data: [getBase64Decoder().decode(returned.data()), "base64"] }
}

const lamportsOf = (account: Account | undefined): bigint => account?.lamports ?? 0n
const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)

export const execute = (bank: Bank, slot: number, submitted: Submitted): Executed => {
  const { keys, loaded } = keysOf(bank, submitted)
  const read = (address: Address) => bank.read(address)
  const before = keys.map(read)
  const result = bank.svm.sendTransaction(submitted.transaction)
  const failed = result instanceof FailedTransactionMetadata
  const metadata = failed ? result.meta() : result
  const error = failed ? transactionError(result.err()) : null
  const after = keys.map(read)
  keys.forEach((key, index) => bank.noteChange(slot, key, before[index]))
  const preBalances = before.map(lamportsOf)
  const postBalances = after.map(lamportsOf)
  const fee = sum(preBalances) - sum(postBalances)
  const returned = returnDataOf(metadata)
  return {
    keys,
    charged: !failed || fee > 0n,
    error,
    meta: {
      err: error,
      fee,
      preBalances,
      postBalances,
      preTokenBalances: tokenBalances(keys, before, read),
      postTokenBalances: tokenBalances(keys, after, read),
      innerInstructions: innerInstructions(metadata),
      logMessages: metadata.logs(),
      loadedAddresses: loaded,
      computeUnitsConsumed: metadata.computeUnitsConsumed(),
      ...(returned === undefined ? {} : { returnData: returned })
    }
  }
}
