/**
 * Withdrawals of the families whose depository is the contract (EVM-6, TRON-3): a call request, whose id is its struct
 * hash, which is also its key in the contract. A request contains 20-byte accounts; the payout has the family's spelling.
 */
import * as Result from "effect/Result"
import type { Address, CurrencyAddress } from "../../chain/Address.ts"
import type { FamilyName } from "../../chain/VmFamily.ts"
import {
  asInvalidWithdrawal,
  type InvalidWithdrawal,
  invalidWithdrawal
} from "../../hub/withdrawal/InvalidWithdrawal.ts"
import { expiresAt, type TwoWayCodec } from "../../hub/withdrawal/WithdrawalRules.ts"
import { asCurrency } from "../AddressCodec.ts"
import { type CallRequest, callRequestHash, decodeCallRequest, encodeCallRequest, paymentOf } from "./CallRequest.ts"

/** `spell`: an account in the family's own spelling. */
export const callRequestCodec = (
  family: FamilyName,
  nativeCurrency: CurrencyAddress,
  spell: (account: Address) => Result.Result<Address, { readonly message: string }>
): TwoWayCodec<CallRequest> => {
  const named = asInvalidWithdrawal(family)
  const spelled = (account: Address): Result.Result<Address, InvalidWithdrawal> =>
    Result.mapError(spell(account), named)
  return {
    decode: (encoded) => Result.mapError(decodeCallRequest(encoded), named),
    encode: (request) => Result.mapError(encodeCallRequest(request), named),
    idOf: (request) => Result.mapError(callRequestHash(request), named),
    // One native call without data, or one token transfer, that is not allowed to fail. Anything else is an error.
    payoutOf: (request) => {
      const payment = paymentOf(request)
      if (payment === undefined) return invalidWithdrawal(family, "not one payment")
      const { amount, token } = payment
      const currency = token === undefined ? Result.succeed(nativeCurrency) : Result.map(spelled(token), asCurrency)
      return Result.map(Result.all([spelled(payment.recipient), currency]), ([recipient, paid]) => ({
        currency: paid,
        recipient,
        amount
      }))
    },
    expirationOf: expiresAt
  }
}
