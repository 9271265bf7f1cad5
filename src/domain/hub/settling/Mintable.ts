/**
 * Whether the deposits of a transaction can be minted on the hub (EXEC-9). One execution mints all of them, or none.
 *
 * SECURITY: anybody may add deposits to a transaction. Their own token can report a transfer of 2^256-1 twice, and the
 * sum is more than the hub can hold. Or a thousand of its Transfers need a mint with more gas than a block has. Such a
 * mint fails forever, together with all other deposits of the transaction, and payments for these are lost.
 */
import type { Chain } from "../../chain/Chain.ts"
import { findCurrency } from "../../chain/Chain.ts"
import type { CurrencyAddress } from "../../chain/Address.ts"

/** A mint takes one or two storage writes on the hub per deposit. With this many it is far below a block's limit. */
export const MOST_DEPOSITS = 64

/**
 * `deposits`: all deposits of the transaction, as the judge reads them. A configured currency is trusted to move the
 * amounts that it reports.
 */
export const isMintable = (chain: Chain, deposits: ReadonlyArray<{ readonly currency: CurrencyAddress }>): boolean =>
  deposits.length <= MOST_DEPOSITS && deposits.every(({ currency }) => findCurrency(chain, currency) !== undefined)
