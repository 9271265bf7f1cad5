/**
 * By which the transfers of depositories on exchange B are listed (EXCHANGEB-7): the exchange shows an account's list
 * to holders of a token of that account. A read-only token can neither trade nor pay.
 */
import { Context } from "effect"
import type { Redacted } from "effect"

export class DepositoryAccess extends Context.Service<DepositoryAccess, {
  readonly token: Redacted.Redacted
  /** What the exchange takes from a user for a transfer, smallest units of USDC. Undefined: what it says itself. */
  readonly transferFee: bigint | undefined
}>()("causeway/adapters/exchange-b/DepositoryAccess") {}
