/**
 * A deposit that only the address's own sweep makes, at a former factory, where anybody can make it.
 *
 * Whoever sweeps chooses the moment and what else his transaction deposits. Such a deposit is judged like any other, by
 * itself: it is filled, or goes back. Operators have to know all the same that somebody has begun to sweep there.
 */
import type { Chain } from "../chain/Chain.ts"
import type { Deposit } from "../transfer/deposit/Deposit.ts"
import type { Transfer } from "../transfer/Transfer.ts"
import { isOfFormerFactory } from "./FactoryOf.ts"

/**
 * True when it is a sweep of the transfer's address, and anybody may have made it: whether we did is for the books of
 * payments to say.
 */
export const mayBeForeignSweep = (
  chain: Chain,
  { orderId, terms: { depositAddress } }: Transfer,
  { depositor }: Pick<Deposit, "depositor">
): boolean =>
  depositAddress !== undefined && depositor === depositAddress.depositor &&
  isOfFormerFactory(chain, { ...depositAddress, orderId })
