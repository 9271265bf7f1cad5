/**
 * What a sponsor signs to pay a recipient app fees that it took over (BALANCE-5): a type of its own in the domain of
 * payouts, with their members, so that it is neither a claim nor a withdrawal.
 */
import type * as Result from "effect/Result"
import type { InvalidAddress } from "../chain/Address.ts"
import type { Hex32 } from "../encoding/Hex.ts"
import { signedDigest } from "./Payout.ts"
import type { PayoutDomain, PayoutRequest } from "./Payout.ts"

/** `wallet` is the sponsor, `recipient` whom it owes; `amount` at most what it owes. */
export type SettleRequest = Omit<PayoutRequest, "kind">

/** The EIP-712 type. */
export const settleType = "SettleAppFees"

/** What the wallet signs; fails for accounts that are none of an EVM chain. */
export const settleDigest = (domain: PayoutDomain, request: SettleRequest): Result.Result<Hex32, InvalidAddress> =>
  signedDigest(settleType, domain, request)
