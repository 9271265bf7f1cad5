/**
 * The ids of the ledger's movements, made from what each is about, so that seeing a thing twice moves money once.
 *
 * A hold belongs to a sighting of a deposit: after a reorganisation the request may see another, and hold anew. Whether
 * a hold is captured or released needs no common id: it can be closed once only.
 */
import * as Brand from "effect/Brand"
import type { Address } from "../chain/Address.ts"
import type { Hex32 } from "../chain/Hex.ts"
import type { RequestId } from "../transfer/RequestId.ts"
import type { CreditKey } from "./JudgeCredit.ts"
import type { LedgerId } from "./Transaction.ts"

/** Parts of bounded length by their own types: an id is never near the 256 characters that a LedgerId may have. */
const ledgerId = Brand.nominal<LedgerId>()

/** The id of a credit: its chain, transaction and log. */
export const creditId = ({ chainId, logIndex, transactionId }: CreditKey): LedgerId =>
  ledgerId(`credit:${chainId}:${transactionId}:${logIndex}`)

/** `deposit` is its on-chain id, `blockHash` the block in which it was seen. */
export const requestMovementId = (
  movement: "hold" | "capture" | "release" | "receivable" | "accrue",
  request: RequestId,
  deposit: Hex32,
  blockHash: string
): LedgerId => ledgerId(`${movement}:${request}:${deposit}@${blockHash}`)

/** How a payout ended: it can be once only, because it empties the payout's account. */
export const payoutMovementId = (movement: "paid" | "returned", payout: Hex32): LedgerId => ledgerId(`${movement}:${payout}`)

/** Claims, withdrawals and settlements are signed by their account over a nonce of its own (spec/3 §8). */
export const signedMovementId = (movement: "claim" | "withdraw" | "settle", account: Address, nonce: bigint): LedgerId =>
  ledgerId(`${movement}:${account}:${nonce}`)
