/**
 * Recognises sweeps of addresses of a former factory, which anybody can make.
 *
 * The sweeper chooses the moment and what else the transaction deposits. Such a deposit is judged on its own like any
 * other: it is filled or refunded. Operators must still know that somebody has started to sweep there.
 */
import type { Chain } from "../chain/Chain.ts"
import type { Deposit } from "../transfer/deposit/Deposit.ts"
import type { Transfer } from "../transfer/Transfer.ts"
import { isOfFormerFactory } from "./FactoryOf.ts"

/**
 * True for a sweep of the transfer's address that anybody may have made. Whether this service made it is in its stored
 * payments.
 */
export const mayBeForeignSweep = (
  chain: Chain,
  { orderId, terms: { depositAddress } }: Transfer,
  { depositor }: Pick<Deposit, "depositor">
): boolean =>
  depositAddress !== undefined && depositor === depositAddress.depositor &&
  isOfFormerFactory(chain, { ...depositAddress, orderId })
