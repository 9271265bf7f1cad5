/**
 * The ids of the ledger's movements, made from what each is about, so that seeing a thing twice moves money once.
 *
 * A hold belongs to a request: what was given back, as after a reorganisation, may be held anew in another round.
 * Whether a hold is captured or released needs no common id: it can be closed once only.
 */
import * as Brand from "effect/Brand"
import type { Address } from "../chain/Address.ts"
import type { Hex32 } from "../encoding/Hex.ts"
import type { RequestId } from "../transfer/RequestId.ts"
import type { CreditKey } from "./JudgeCredit.ts"
import type { LedgerId } from "./Transaction.ts"

/** Parts of bounded length by their own types: an id is never near the 256 characters that a LedgerId may have. */
const ledgerId = Brand.nominal<LedgerId>()

/** The id of a credit: its chain, transaction and log. */
export const creditId = ({ chainId, logIndex, transactionId }: CreditKey): LedgerId =>
  ledgerId(`credit:${chainId}:${transactionId}:${logIndex}`)

/**
 * The id of a filled deposit's app fees; `deposit` is its on-chain id. They are booked once it is final, in whatever
 * block that is, because a reorganisation past finality may move it. Stored ledgers have the text: it never changes.
 */
export const accrualId = (request: RequestId, deposit: Hex32): LedgerId =>
  ledgerId(`accrue:${request}:${deposit}@final`)

/** What a sponsor's money does for a request; `round` counts its holds from one, zero for what happens once. */
export const sponsorMovementId = (
  movement: "hold" | "capture" | "release" | "receivable",
  request: RequestId,
  round: number
): LedgerId => ledgerId(`${movement}:${request}:${round}`)

/**
 * How a payout ended, which can be once in a `round`, because it empties the payout's account; and that its payment was
 * lost again, which fills it for the next round. Rounds count from zero.
 */
export const payoutMovementId = (movement: "paid" | "returned" | "reopened", payout: Hex32, round: number): LedgerId =>
  ledgerId(round === 0 ? `${movement}:${payout}` : `${movement}:${payout}:${round}`)

/** Claims, withdrawals and settlements are signed by their account over a nonce of its own (BALANCE-4). */
export const signedMovementId = (
  movement: "claim" | "withdraw" | "settle",
  account: Address,
  nonce: bigint
): LedgerId => ledgerId(`${movement}:${account}:${nonce}`)
