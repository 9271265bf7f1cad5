/**
 * The ids of the ledger's movements, made from what each is about, so that seeing a thing twice moves money once.
 *
 * A hold belongs to a sighting of a deposit: after a reorganisation the request may see another, and hold anew. Whether
 * a hold is captured or released needs no common id: it can be closed once only.
 */
import type { Address } from "../chain/Address.ts"
import type { RequestId } from "../transfer/RequestId.ts"
import type { CreditKey } from "./JudgeCredit.ts"
import { LedgerId } from "./Transaction.ts"

export const creditId = ({ chainId, logIndex, transactionId }: CreditKey): LedgerId =>
  LedgerId.make(`credit:${chainId}:${transactionId}:${logIndex}`)

/** `sighting` names the deposit and the block in which it was seen; at most 150 characters. */
export const requestMovementId = (
  movement: "hold" | "capture" | "release" | "receivable" | "accrue",
  request: RequestId,
  sighting: string
): LedgerId => LedgerId.make(`${movement}:${request}:${sighting}`)

/** Claims, withdrawals and settlements are signed by their account over a nonce of its own (spec/3 §8). */
export const signedMovementId = (movement: "claim" | "withdraw" | "settle", account: Address, nonce: bigint): LedgerId =>
  LedgerId.make(`${movement}:${account}:${nonce}`)
