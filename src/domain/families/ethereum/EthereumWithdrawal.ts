/**
 * Withdrawals of ethereum-vm: a call request of the depository contract (EVM-6).
 *
 * The id is the request's struct hash, which is also its key in the contract.
 */
import * as Result from "effect/Result"
import { asCurrency } from "../AddressCodec.ts"
import { ethereumAddresses } from "./EthereumAddresses.ts"
import type { Hex, Hex32 } from "../../encoding/Hex.ts"
import { type CallRequest, callRequestHash, decodeCallRequest, encodeCallRequest, paymentOf } from "./CallRequest.ts"
import {
  asInvalidWithdrawal,
  type InvalidWithdrawal,
  invalidWithdrawal
} from "../../hub/withdrawal/InvalidWithdrawal.ts"
import type { Payout } from "../../hub/withdrawal/Payout.ts"
import { expiresAt, type WithdrawalCodec, withdrawalRules } from "../../hub/withdrawal/WithdrawalRules.ts"

const family = "ethereum-vm"
const named = asInvalidWithdrawal(family)

export const decodeEthereumWithdrawal = (encoded: Hex): Result.Result<CallRequest, InvalidWithdrawal> =>
  Result.mapError(decodeCallRequest(encoded), named)

export const encodeEthereumWithdrawal = (request: CallRequest): Result.Result<Hex, InvalidWithdrawal> =>
  Result.mapError(encodeCallRequest(request), named)

export const ethereumWithdrawalId = (request: CallRequest): Result.Result<Hex32, InvalidWithdrawal> =>
  Result.mapError(callRequestHash(request), named)

/** One native call without data, or one ERC-20 transfer, that is not allowed to fail. Anything else is an error. */
const payoutOf = (request: CallRequest): Result.Result<Payout, InvalidWithdrawal> => {
  const payment = paymentOf(request)
  if (payment === undefined) return invalidWithdrawal(family, "not one payment")
  const { amount, recipient, token } = payment
  return Result.succeed({
    currency: token === undefined ? ethereumAddresses.nativeCurrency : asCurrency(token),
    recipient,
    amount
  })
}

export const ethereumCodec: WithdrawalCodec<CallRequest> = {
  decode: decodeEthereumWithdrawal,
  idOf: ethereumWithdrawalId,
  payoutOf,
  expirationOf: expiresAt
}

export const ethereumWithdrawals = withdrawalRules(ethereumCodec)
