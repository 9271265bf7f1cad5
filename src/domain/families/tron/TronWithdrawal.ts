/**
 * Withdrawals of tron-vm: the same call request as on ethereum-vm (TRON-3).
 *
 * The request contains 20-byte accounts. The payout has Tron's own spelling.
 */
import * as Result from "effect/Result"
import type { Address } from "../../chain/Address.ts"
import { asCurrency } from "../AddressCodec.ts"
import { tronAddresses, tronOfAccount } from "./TronAddresses.ts"
import type { Hex, Hex32 } from "../../encoding/Hex.ts"
import {
  type CallRequest,
  callRequestHash,
  decodeCallRequest,
  encodeCallRequest,
  paymentOf
} from "../ethereum/CallRequest.ts"
import {
  asInvalidWithdrawal,
  type InvalidWithdrawal,
  invalidWithdrawal
} from "../../hub/withdrawal/InvalidWithdrawal.ts"
import type { Payout } from "../../hub/withdrawal/Payout.ts"
import { expiresAt, type WithdrawalCodec, withdrawalRules } from "../../hub/withdrawal/WithdrawalRules.ts"

const family = "tron-vm"
const named = asInvalidWithdrawal(family)

export const decodeTronWithdrawal = (encoded: Hex): Result.Result<CallRequest, InvalidWithdrawal> =>
  Result.mapError(decodeCallRequest(encoded), named)

export const encodeTronWithdrawal = (request: CallRequest): Result.Result<Hex, InvalidWithdrawal> =>
  Result.mapError(encodeCallRequest(request), named)

export const tronWithdrawalId = (request: CallRequest): Result.Result<Hex32, InvalidWithdrawal> =>
  Result.mapError(callRequestHash(request), named)

const inBase58 = (account: Address): Result.Result<Address, InvalidWithdrawal> =>
  Result.mapError(tronOfAccount(account), named)

/** One native call without data, or one TRC-20 transfer, that is not allowed to fail. Anything else is an error. */
const payoutOf = (request: CallRequest): Result.Result<Payout, InvalidWithdrawal> => {
  const payment = paymentOf(request)
  if (payment === undefined) return invalidWithdrawal(family, "not one payment")
  const { amount, token } = payment
  return Result.flatMap(inBase58(payment.recipient), (recipient) =>
    token === undefined
      ? Result.succeed({ currency: tronAddresses.nativeCurrency, recipient, amount })
      : Result.map(inBase58(token), (contract) => ({ currency: asCurrency(contract), recipient, amount })))
}

export const tronCodec: WithdrawalCodec<CallRequest> = {
  decode: decodeTronWithdrawal,
  idOf: tronWithdrawalId,
  payoutOf,
  expirationOf: expiresAt
}

export const tronWithdrawals = withdrawalRules(tronCodec)
