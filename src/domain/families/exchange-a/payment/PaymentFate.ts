/**
 * Where a payment of exchangea-vm stands, by its account's ledger (EXCHANGEA-21). Pure.
 *
 * SECURITY: a dead payment is signed again. Only the whole ledger of the times in which it can be executed proves that
 * it was not, read no earlier than the moment from which it cannot be. An entry under its nonce that is neither clearly
 * this payment nor clearly another decides nothing.
 */
import { scaleDecimal } from "../DecimalAmount.ts"
import type { SendAsset } from "../ExchangeAWithdrawal.ts"
import { lowestOpenNonce } from "./NonceRules.ts"

/** A transfer that the account has sent, as the ledger shows it. */
export interface LedgerEntry {
  /** The exchange's transaction. */
  readonly hash: string
  /** Milliseconds. */
  readonly time: number
  readonly nonce: bigint
  readonly destination: string
  readonly sourceDex: string
  readonly destinationDex: string
  /** The token's name, without its id. */
  readonly token: string
  readonly amount: string
  /** Smallest units of USDC that the account paid besides. */
  readonly fee: bigint
}

export type PaymentFate =
  | { readonly _tag: "Executed"; readonly entry: LedgerEntry }
  /** Another transfer has its nonce. */
  | { readonly _tag: "Taken" }
  /** It was not executed, and never will be. */
  | { readonly _tag: "Dead" }
  /** It may still be executed. */
  | { readonly _tag: "Open" }
  /** The ledger contradicts itself or what was signed. */
  | { readonly _tag: "Unclear" }

/** More places than any token has. */
const PLACES = 78

const sameAmount = (one: string, other: string): boolean => {
  const amount = scaleDecimal(one, PLACES)
  return amount !== undefined && amount === scaleDecimal(other, PLACES)
}

const isTo = ({ destination }: LedgerEntry, transfer: SendAsset): boolean =>
  destination.toLowerCase() === transfer.destination

const isOf = ({ destinationDex, sourceDex, token }: LedgerEntry, transfer: SendAsset): boolean =>
  sourceDex === transfer.sourceDex && destinationDex === transfer.destinationDex &&
  token === transfer.token.slice(0, transfer.token.indexOf(":"))

/**
 * `now`: milliseconds, the exchange's clock, read before the ledger. `sent`: what the account has sent in `timesOf` the
 * nonce, each entry once.
 */
export const paymentFate = (
  transfer: SendAsset,
  { now, sent }: { readonly now: bigint; readonly sent: ReadonlyArray<LedgerEntry> }
): PaymentFate => {
  const [entry, another] = sent.filter(({ nonce }) => nonce === transfer.nonce)
  if (another !== undefined) return { _tag: "Unclear" }
  if (entry === undefined) {
    const lowest = lowestOpenNonce(now, sent.map(({ nonce }) => nonce))
    return transfer.nonce < lowest ? { _tag: "Dead" } : { _tag: "Open" }
  }
  if (!isTo(entry, transfer)) return { _tag: "Taken" }
  return isOf(entry, transfer) && sameAmount(entry.amount, transfer.amount)
    ? { _tag: "Executed", entry }
    : { _tag: "Unclear" }
}
