/**
 * Withdrawals of the six families by their names, with the requests as each writes them: for whoever makes withdrawals.
 * Judging asks the rules of the chain's family instead (`WithdrawalRules`), of whatever family it is.
 */
import type { FamilyName } from "../chain/VmFamily.ts"
import * as Result from "effect/Result"
import type { Hex, Hex32 } from "../encoding/Hex.ts"
import {
  bitcoinPayout,
  bitcoinWithdrawalId,
  decodeBitcoinWithdrawal,
  encodeBitcoinWithdrawal
} from "./bitcoin/BitcoinWithdrawal.ts"
import type { CallRequest } from "./ethereum/CallRequest.ts"
import {
  decodeEthereumWithdrawal,
  encodeEthereumWithdrawal,
  ethereumPayout,
  ethereumWithdrawalId
} from "./ethereum/EthereumWithdrawal.ts"
import {
  decodeExchangeAWithdrawal,
  encodeExchangeAWithdrawal,
  exchangeAPayout,
  type ExchangeAWithdrawal,
  exchangeAWithdrawalId
} from "./exchange-a/ExchangeAWithdrawal.ts"
import {
  decodeExchangeBWithdrawal,
  encodeExchangeBWithdrawal,
  exchangeBPayout,
  type ExchangeBWithdrawal,
  exchangeBWithdrawalId
} from "./exchange-b/ExchangeBWithdrawal.ts"
import { invalidWithdrawal } from "../hub/withdrawal/InvalidWithdrawal.ts"
import type { InvalidWithdrawal } from "../hub/withdrawal/InvalidWithdrawal.ts"
import type { Payout } from "../hub/withdrawal/Payout.ts"
import type { PayoutContext } from "../hub/withdrawal/WithdrawalRules.ts"
import type { Psbt } from "./bitcoin/Psbt.ts"
import {
  decodeSolanaWithdrawal,
  encodeSolanaWithdrawal,
  solanaPayout,
  type SolanaWithdrawal,
  solanaWithdrawalId
} from "./solana/SolanaWithdrawal.ts"
import { decodeTronWithdrawal, encodeTronWithdrawal, tronPayout, tronWithdrawalId } from "./tron/TronWithdrawal.ts"

/** What a withdrawal asks of its chain's depository, in the words of the chain's family. */
export type Withdrawal =
  | { readonly family: "ethereum-vm"; readonly request: CallRequest }
  | { readonly family: "tron-vm"; readonly request: CallRequest }
  | { readonly family: "solana-vm"; readonly request: SolanaWithdrawal }
  | { readonly family: "bitcoin-vm"; readonly request: Psbt }
  | { readonly family: "exchangea-vm"; readonly request: ExchangeAWithdrawal }
  | { readonly family: "exchangeb-vm"; readonly request: ExchangeBWithdrawal }

/** The withdrawal that these bytes say on a chain of the family. */
export const decodeWithdrawal = (
  family: FamilyName,
  encoded: Hex
): Result.Result<Withdrawal, InvalidWithdrawal> => {
  switch (family) {
    case "ethereum-vm":
      return Result.map(decodeEthereumWithdrawal(encoded), (request) => ({ family, request }))
    case "tron-vm":
      return Result.map(decodeTronWithdrawal(encoded), (request) => ({ family, request }))
    case "solana-vm":
      return Result.map(decodeSolanaWithdrawal(encoded), (request) => ({ family, request }))
    case "bitcoin-vm":
      return Result.map(decodeBitcoinWithdrawal(encoded), (request) => ({ family, request }))
    case "exchangea-vm":
      return Result.map(decodeExchangeAWithdrawal(encoded), (request) => ({ family, request }))
    case "exchangeb-vm":
      return Result.map(decodeExchangeBWithdrawal(encoded), (request) => ({ family, request }))
    default:
      return invalidWithdrawal(family, "this version knows no withdrawals of the family")
  }
}

/** The one encoding of a withdrawal; fails when a value does not fit its member. */
export const encodeWithdrawal = (withdrawal: Withdrawal): Result.Result<Hex, InvalidWithdrawal> => {
  switch (withdrawal.family) {
    case "ethereum-vm":
      return encodeEthereumWithdrawal(withdrawal.request)
    case "tron-vm":
      return encodeTronWithdrawal(withdrawal.request)
    case "solana-vm":
      return encodeSolanaWithdrawal(withdrawal.request)
    case "bitcoin-vm":
      return Result.succeed(encodeBitcoinWithdrawal(withdrawal.request))
    case "exchangea-vm":
      return encodeExchangeAWithdrawal(withdrawal.request)
    case "exchangeb-vm":
      return encodeExchangeBWithdrawal(withdrawal.request)
  }
}

/** The id of a withdrawal; fails as encoding does. */
export const withdrawalId = (withdrawal: Withdrawal): Result.Result<Hex32, InvalidWithdrawal> => {
  switch (withdrawal.family) {
    case "ethereum-vm":
      return ethereumWithdrawalId(withdrawal.request)
    case "tron-vm":
      return tronWithdrawalId(withdrawal.request)
    case "solana-vm":
      return solanaWithdrawalId(withdrawal.request)
    case "bitcoin-vm":
      return Result.succeed(bitcoinWithdrawalId(withdrawal.request))
    case "exchangea-vm":
      return exchangeAWithdrawalId(withdrawal.request)
    case "exchangeb-vm":
      return exchangeBWithdrawalId(withdrawal.request)
  }
}

/** The one payment of a withdrawal; anything that pays otherwise is an error. */
export const payoutOf = (withdrawal: Withdrawal, context: PayoutContext): Result.Result<Payout, InvalidWithdrawal> => {
  switch (withdrawal.family) {
    case "ethereum-vm":
      return ethereumPayout(withdrawal.request)
    case "tron-vm":
      return tronPayout(withdrawal.request)
    case "solana-vm":
      return solanaPayout(withdrawal.request)
    case "bitcoin-vm":
      return bitcoinPayout(withdrawal.request, context.network, context.depository)
    case "exchangea-vm":
      return exchangeAPayout(withdrawal.request, context.decimals)
    case "exchangeb-vm":
      return exchangeBPayout(withdrawal.request)
  }
}
