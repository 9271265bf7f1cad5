/**
 * A payment that somebody is asked to make with a wallet: the input of a family's payment URI (`FamilyRules.paymentUri`).
 */
import type { Address } from "../chain/Address.ts"
import type { Currency } from "../money/Currency.ts"

export interface PaymentRequest {
  readonly to: Address
  readonly currency: Pick<Currency, "address" | "chainId" | "decimals" | "isNative">
  /** Smallest units, exact. */
  readonly units: bigint
}
