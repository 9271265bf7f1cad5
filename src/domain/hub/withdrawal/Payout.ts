/**
 * What a withdrawal pays when it is executed: one currency to one recipient.
 *
 * Compared with the request for which the attestation was asked (ORACLE-6).
 */
import type { Address, CurrencyAddress } from "../../chain/Address.ts"

export interface Payout {
  readonly currency: CurrencyAddress
  readonly recipient: Address
  /** In the currency's smallest unit. */
  readonly amount: bigint
}
