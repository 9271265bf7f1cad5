/**
 * Withdrawals of exchangeb-vm: a transfer that the depository's account signs (EXCHANGEB-3).
 *
 * On the wire: abi of one tuple (uint8 actionType = 0, bytes parameters), the parameters one tuple
 * of ten uint64 and the memo. The id is keccak256 of the text that is signed on L1.
 */
import * as Result from "effect/Result"
import { abiBytes, abiBytes32, abiTuple, abiUint, decodeAbi, encodeAbi } from "../../encoding/Abi.ts"
import type { CurrencyAddress } from "../../chain/Address.ts"
import { asAddress, asCurrency } from "../AddressCodec.ts"
import { exchangeBAddresses } from "./ExchangeBAddresses.ts"
import { type Hex, type Hex32, hex32FromDigest } from "../../encoding/Hex.ts"
import { keccakText } from "../../encoding/StructHash.ts"
import {
  asInvalidWithdrawal,
  type InvalidWithdrawal,
  invalidWithdrawal
} from "../../hub/withdrawal/InvalidWithdrawal.ts"
import type { Payout } from "../../hub/withdrawal/Payout.ts"
import { expiresAsTold, type WithdrawalCodec, withdrawalRules } from "../../hub/withdrawal/WithdrawalRules.ts"

/** Numbers are uint64. Amount and fee are in the asset's smallest unit. */
export interface ExchangeBWithdrawal {
  readonly nonce: bigint
  readonly fromAccountIndex: bigint
  readonly fromRouteType: bigint
  readonly apiKeyIndex: bigint
  readonly toAccountIndex: bigint
  readonly toRouteType: bigint
  readonly assetIndex: bigint
  readonly amount: bigint
  readonly usdcFee: bigint
  readonly lighterChainId: bigint
  readonly memo: Hex32
}

const family = "exchangeb-vm"
const named = asInvalidWithdrawal(family)

const uint64 = abiUint(64)
const outerShape = abiTuple({ withdrawal: abiTuple({ actionType: abiUint(8), parameters: abiBytes }) })
const parametersShape = abiTuple({
  nonce: uint64,
  fromAccountIndex: uint64,
  fromRouteType: uint64,
  apiKeyIndex: uint64,
  toAccountIndex: uint64,
  toRouteType: uint64,
  assetIndex: uint64,
  amount: uint64,
  usdcFee: uint64,
  lighterChainId: uint64,
  memo: abiBytes32
})

/** Fails when a number does not fit uint64. */
export const encodeExchangeBWithdrawal = (withdrawal: ExchangeBWithdrawal): Result.Result<Hex, InvalidWithdrawal> =>
  Result.mapError(
    Result.flatMap(
      encodeAbi(parametersShape, withdrawal),
      (parameters) => encodeAbi(outerShape, { withdrawal: { actionType: 0n, parameters } })
    ),
    named
  )

/** Accepts only the canonical encoding of a transfer. */
export const decodeExchangeBWithdrawal = (encoded: Hex): Result.Result<ExchangeBWithdrawal, InvalidWithdrawal> =>
  Result.gen(function*() {
    const { withdrawal } = yield* Result.mapError(decodeAbi(outerShape, encoded), named)
    return withdrawal.actionType === 0n
      ? yield* Result.mapError(decodeAbi(parametersShape, withdrawal.parameters), named)
      : yield* invalidWithdrawal(family, "no known action type")
  })

const hex16 = (value: bigint): string => `0x${value.toString(16).padStart(16, "0")}`

/** The text that the sender's Ethereum account signs on L1 for this transfer (EIP-191). It alone covers the memo. */
export const l1Message = (withdrawal: ExchangeBWithdrawal): string =>
  [
    "Transfer",
    "",
    `nonce: ${hex16(withdrawal.nonce)}`,
    `from: ${hex16(withdrawal.fromAccountIndex)} (route ${hex16(withdrawal.fromRouteType)})`,
    `api key: ${hex16(withdrawal.apiKeyIndex)}`,
    `to: ${hex16(withdrawal.toAccountIndex)} (route ${hex16(withdrawal.toRouteType)})`,
    `asset: ${hex16(withdrawal.assetIndex)}`,
    `amount: ${hex16(withdrawal.amount)}`,
    `fee: ${hex16(withdrawal.usdcFee)}`,
    `chainId: ${hex16(withdrawal.lighterChainId)}`,
    `memo: ${withdrawal.memo.slice(2)}`,
    "Only sign this message for a trusted client!"
  ].join("\n")

/** Fails when encoding fails. */
export const exchangeBWithdrawalId = (withdrawal: ExchangeBWithdrawal): Result.Result<Hex32, InvalidWithdrawal> =>
  Result.map(encodeExchangeBWithdrawal(withdrawal), () => hex32FromDigest(keccakText(l1Message(withdrawal))))

/**
 * The protocol's currency for an asset on a route: "0" for asset 3 on route 0, else the asset's index. Asset 0 is an
 * error, since its index would be read as the native currency.
 */
export const exchangeBCurrency = (
  assetIndex: bigint,
  route: bigint
): Result.Result<CurrencyAddress, InvalidWithdrawal> => {
  if (assetIndex === 0n) return invalidWithdrawal(family, "asset 0")
  return Result.succeed(
    assetIndex === 3n && route === 0n ? exchangeBAddresses.nativeCurrency : asCurrency(assetIndex.toString())
  )
}

/** The payout. The asset must stay on its route, and an amount of zero is an error. */
const payoutOf = (withdrawal: ExchangeBWithdrawal): Result.Result<Payout, InvalidWithdrawal> => {
  const { amount, assetIndex, fromRouteType, toAccountIndex, toRouteType } = withdrawal
  if (amount === 0n) return invalidWithdrawal(family, "an amount of zero")
  if (fromRouteType !== toRouteType) return invalidWithdrawal(family, "paid from one route to another")
  return Result.map(exchangeBCurrency(assetIndex, fromRouteType), (currency) => ({
    currency,
    recipient: asAddress(toAccountIndex.toString()),
    amount
  }))
}

/** The exchange reports when a withdrawal expires. */
export const exchangeBCodec: WithdrawalCodec<ExchangeBWithdrawal> = {
  decode: decodeExchangeBWithdrawal,
  idOf: exchangeBWithdrawalId,
  payoutOf,
  expirationOf: expiresAsTold
}

/** The family's withdrawals, for judges. */
export const exchangeBWithdrawals = withdrawalRules(exchangeBCodec)
