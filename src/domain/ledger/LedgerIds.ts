/**
 * The ids of the ledger's movements, derived from what they are about, so that repeating one moves money once.
 *
 * A hold belongs to a request. Once released, for example after a reorg, it may be held again in another round. Capture
 * and release need no common id, since a hold can be closed only once.
 */
import * as Brand from "effect/Brand"
import type { Address } from "../chain/Address.ts"
import type { Hex32 } from "../encoding/Hex.ts"
import type { RequestId } from "../transfer/RequestId.ts"
import type { CreditKey } from "./JudgeCredit.ts"
import type { LedgerId } from "./Transaction.ts"

/** The types bound the length of every part, so an id is far below the 256 characters that a LedgerId may have. */
const ledgerId = Brand.nominal<LedgerId>()

/** The id of a credit: its chain, transaction and log. */
export const creditId = ({ chainId, logIndex, transactionId }: CreditKey): LedgerId =>
  ledgerId(`credit:${chainId}:${transactionId}:${logIndex}`)

/**
 * The id of a filled deposit's app fees. `deposit` is its on-chain id. They are booked once it is final, in whatever
 * block, because a reorg past finality may move it. Stored ledgers contain this text, so it never changes.
 */
export const accrualId = (request: RequestId, deposit: Hex32): LedgerId =>
  ledgerId(`accrue:${request}:${deposit}@final`)

/** A movement of sponsor money for a request. `round` counts its holds from one; zero for what happens once. */
export const sponsorMovementId = (
  movement: "hold" | "capture" | "release" | "receivable",
  request: RequestId,
  round: number
): LedgerId => ledgerId(`${movement}:${request}:${round}`)

/**
 * The end of a payout, which happens once in a `round` because it empties the payout's account. `reopened`: its payment
 * was lost again, which fills the account for the next round. Rounds count from zero.
 */
export const payoutMovementId = (movement: "paid" | "returned" | "reopened", payout: Hex32, round: number): LedgerId =>
  ledgerId(round === 0 ? `${movement}:${payout}` : `${movement}:${payout}:${round}`)

/** Claims, withdrawals and settlements: their account signs them with its own nonce (BALANCE-4). */
export const signedMovementId = (
  movement: "claim" | "withdraw" | "settle",
  account: Address,
  nonce: bigint
): LedgerId => ledgerId(`${movement}:${account}:${nonce}`)
