/**
 * Whether what a transaction deposited can be minted on the hub (EXEC-9): all of it by one execution, or nothing.
 *
 * SECURITY: anybody may add deposits of his own to a transaction. A token of his making says that it moved 2^256-1
 * twice, and the sum is more than the hub can hold; or a thousand of its Transfers make a mint that no block has the
 * gas for. Such a mint fails for ever, and with it goes every other deposit of the transaction: what is paid for one
 * never comes back.
 */
import type { Chain } from "../../chain/Chain.ts"
import { findCurrency } from "../../chain/Chain.ts"
import type { CurrencyAddress } from "../../chain/Address.ts"

/** A mint is a storage write or two on the hub for each: with so many it is far from what a block bears. */
export const MOST_DEPOSITS = 64

/**
 * `deposits`: all that the transaction deposited, as the judge reads them. A configured currency is trusted to move
 * what it says.
 */
export const isMintable = (chain: Chain, deposits: ReadonlyArray<{ readonly currency: CurrencyAddress }>): boolean =>
  deposits.length <= MOST_DEPOSITS && deposits.every(({ currency }) => findCurrency(chain, currency) !== undefined)
