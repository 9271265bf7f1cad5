/**
 * What a withdrawal pays when it is executed: one currency to one recipient.
 *
 * Compared with the request for which the attestation was asked (ORACLE-6).
 */
import type { Address, CurrencyAddress } from "../../chain/Address.ts"

/** What a withdrawal pays: one amount of one currency, in smallest units, to one recipient. */
export interface Payout {
  readonly currency: CurrencyAddress
  readonly recipient: Address
  /** In the currency's smallest unit. */
  readonly amount: bigint
}
