/**
 * What a sponsor signs to pay a recipient the app fees that it took over (BALANCE-5). It is a separate type in the
 * domain of payouts, with the same members, so it cannot be used as a claim or a withdrawal.
 */
import type * as Result from "effect/Result"
import type { InvalidAddress } from "../chain/Address.ts"
import type { Hex32 } from "../encoding/Hex.ts"
import { signedDigest } from "./Payout.ts"
import type { PayoutDomain, PayoutRequest } from "./Payout.ts"

/** `wallet` is the sponsor, `recipient` the account that it owes. `amount` is at most what it owes. */
export type SettleRequest = Omit<PayoutRequest, "kind">

/** The EIP-712 type. */
export const settleType = "SettleAppFees"

/** The digest that the wallet signs. Fails for accounts that are not EVM accounts. */
export const settleDigest = (domain: PayoutDomain, request: SettleRequest): Result.Result<Hex32, InvalidAddress> =>
  signedDigest(settleType, domain, request)
