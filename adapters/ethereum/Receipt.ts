/** Receipts by hash, where "the node has none" is an answer and every other failure stays a failure. */
import { TransactionNotFoundError, TransactionReceiptNotFoundError } from "viem"
import type { Hex, PublicClient, TransactionReceipt } from "viem"

export const receiptOf = async (client: PublicClient, hash: Hex): Promise<TransactionReceipt | undefined> => {
  try {
    return await client.getTransactionReceipt({ hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  }
}

export const isKnown = async (client: PublicClient, hash: Hex): Promise<boolean> => {
  try {
    await client.getTransaction({ hash })
    return true
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return false
    throw error
  }
}
