/**
 * What a withdrawal pays when it is executed: one currency to one recipient.
 *
 * It is compared with the request of whoever wants the withdrawal attested (ORACLE-6).
 */
import type { Address, CurrencyAddress } from "../../chain/Address.ts"

export interface Payout {
  readonly currency: CurrencyAddress
  readonly recipient: Address
  /** In the currency's smallest unit. */
  readonly amount: bigint
}
