/**
 * Which of the solver's accounts makes a payment, on chains that execute an account's transactions one after another.
 *
 * A payment is taken from one account as a whole. Its order's evidence is the order id, whoever pays (EVM-5), so every
 * account that holds enough will do. Pure; the facts are read where the payment is signed.
 */
import { replacementBounds } from "./ReplacePayment.ts"

/** An account that could make the payment. */
export interface PayingAccount {
  /** Its own balance covers the payment and its gas, beside what its payments in flight can still take. */
  readonly covers: boolean
  /** Its payments that are in no block yet. */
  readonly inFlight: number
  /** When the oldest of these was first signed, milliseconds: the one that all others wait for. */
  readonly oldest: number | undefined
}

/** The oldest payment is in flight for so long that it would be replaced: what is signed behind it waits, too. */
const isStuck = ({ oldest }: PayingAccount, blockTimeMs: number, now: number): boolean =>
  oldest !== undefined && now - oldest >= replacementBounds(blockTimeMs, 1n).stuckMs

/**
 * The account that pays: of those that cover it one that is not stuck, then the one with the fewest payments in flight,
 * then the first. Undefined when none covers it. `now` in milliseconds.
 */
export const chooseAccount = <A extends PayingAccount>(
  accounts: ReadonlyArray<A>,
  { blockTimeMs }: { readonly blockTimeMs: number },
  now: number
): A | undefined => {
  const covering = accounts.filter(({ covers }) => covers)
  const free = covering.filter((each) => !isStuck(each, blockTimeMs, now))
  // Sorting is stable: of two that are equal the first one pays.
  return (free.length > 0 ? free : covering).toSorted((one, other) => one.inFlight - other.inFlight)[0]
}
