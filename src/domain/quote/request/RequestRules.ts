/**
 * What the fields of a request require of each other, before any chain is known (REQUEST-4, REQUEST-31).
 *
 * A field whose requirement is not met is INVALID_REQUEST, and the message names both fields. The one exception is
 * subsidizeRent without subsidizeFees, which sponsors nothing. Not for addresses, currencies and chains: that is
 * `ResolveRequest`.
 */
import * as Result from "effect/Result"
import { QuoteRefused } from "../QuoteError.ts"
import type { QuoteErrorCode } from "../QuoteError.ts"
import type { QuoteRequest, RequestParameter } from "./QuoteRequest.ts"
import type { RequestLimits } from "./RequestLimits.ts"

/** Value of the gas topup when topupGasAmount is omitted, micro-dollars. */
export const DEFAULT_TOPUP = 2_000_000n

/** A refusal whose message begins with the field's name (ERROR-1). */
export const refuseField = (code: QuoteErrorCode, field: string, message: string) =>
  Result.fail(new QuoteRefused({ code, field, message: `${field}: ${message}` }))

/** A parameter, and the other parameter that it requires. */
const requirements: ReadonlyArray<readonly [field: RequestParameter, needs: RequestParameter]> = [
  ["maxSubsidizationAmount", "subsidizeFees"],
  ["sponsoredFeeComponents", "subsidizeFees"],
  ["fixedRate", "subsidizeFees"],
  ["recoveryAddress", "useDepositAddress"],
  ["strict", "useDepositAddress"],
  ["strict", "refundTo"],
  ["topupGasAmount", "topupGas"],
  ["txsGasLimit", "txs"],
  ["gasLimitForDepositSpecifiedTxs", "txs"],
  ["permitExpiry", "usePermit"],
  ["originGasOverhead", "usePermit"]
]

/** Parameters that exclude each other. */
const conflicts: ReadonlyArray<readonly [field: RequestParameter, not: RequestParameter]> = [
  ["sponsoredFeeComponents", "useDepositAddress"],
  ["usePermit", "useDepositAddress"],
  // refundOnOrigin forbids delivering anything but the output on the destination; useFallbacks delivers the swap's
  // input there.
  ["useFallbacks", "refundOnOrigin"],
  ["txsGasLimit", "gasLimitForDepositSpecifiedTxs"]
]

const isSet = (request: QuoteRequest, name: RequestParameter): boolean => {
  const value = request[name]
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)
}

const checkPairs = (request: QuoteRequest): Result.Result<void, QuoteRefused> => {
  const unmet = requirements.find(([field, needs]) => isSet(request, field) && !isSet(request, needs))
  if (unmet !== undefined) return refuseField("INVALID_REQUEST", unmet[0], `needs ${unmet[1]}`)
  const clash = conflicts.find(([field, not]) => isSet(request, field) && isSet(request, not))
  return clash === undefined
    ? Result.void
    : refuseField("INVALID_REQUEST", clash[0], `cannot be combined with ${clash[1]}`)
}

/**
 * A fixed rate is for one order: an open address would give it to every later deposit, whatever the market is by then.
 */
const checkFixedRateHolds = (
  { fixedRate, strict, useDepositAddress }: QuoteRequest
): Result.Result<void, QuoteRefused> =>
  fixedRate !== undefined && useDepositAddress === true && strict !== true
    ? refuseField("INVALID_REQUEST", "fixedRate", "needs strict with useDepositAddress: a rate is fixed for one order")
    : Result.void

const checkTradeType = (
  { enableTrueExactOutput, strict, tradeType, txs = [], useDepositAddress }: QuoteRequest
): Result.Result<void, QuoteRefused> => {
  if (enableTrueExactOutput === true && tradeType !== "EXACT_OUTPUT") {
    return refuseField("INVALID_REQUEST", "enableTrueExactOutput", "needs the tradeType EXACT_OUTPUT")
  }
  if (useDepositAddress === true && strict !== true && tradeType === "EXACT_OUTPUT") {
    return refuseField(
      "UNSUPPORTED_TRADE_TYPE",
      "tradeType",
      "EXACT_OUTPUT at a deposit address (useDepositAddress) needs strict"
    )
  }
  return txs.length > 0 && tradeType === "EXPECTED_OUTPUT"
    ? refuseField("UNSUPPORTED_TRADE_TYPE", "tradeType", "txs need EXACT_INPUT or EXACT_OUTPUT")
    : Result.void
}

/** Bytes of calldata of one call. */
const MAX_CALL_BYTES = 32_768

/** Bytes of calldata of all calls: a fill carries them in one transaction, and nodes accept at most 128 KiB. */
const MAX_CALLS_BYTES = 65_536

const bytesOf = (data: string): number => (data.length - 2) / 2

/** The bytes of all calls of a request. */
export const calldataBytes = (txs: ReadonlyArray<{ readonly data: string }>): number =>
  txs.reduce((total, { data }) => total + bytesOf(data), 0)

/** SECURITY: calldata is stored with the request and its order, and simulated with every quote. */
const checkCalldata = (txs: ReadonlyArray<{ readonly data: string }>): Result.Result<void, QuoteRefused> => {
  const large = txs.findIndex(({ data }) => bytesOf(data) > MAX_CALL_BYTES)
  if (large >= 0) return refuseField("INVALID_EXTRA_TXS", `txs.${large}.data`, `at most ${MAX_CALL_BYTES} bytes`)
  const sum = calldataBytes(txs)
  return sum > MAX_CALLS_BYTES
    ? refuseField(
      "INVALID_EXTRA_TXS",
      "txs",
      `the data of all calls adds up to ${sum} bytes; at most ${MAX_CALLS_BYTES}`
    )
    : Result.void
}

const checkLimits = (request: QuoteRequest, limits: RequestLimits): Result.Result<void, QuoteRefused> => {
  const {
    appFees = [],
    authorizationList = [],
    gasLimitForDepositSpecifiedTxs = 0,
    topupGasAmount = 0n,
    txs = [],
    txsGasLimit = 0
  } = request
  const appBps = appFees.reduce((sum, { fee }) => sum + BigInt(fee), 0n)
  if (request.amount === 0n) return refuseField("INVALID_REQUEST", "amount", "must be positive")
  if (appBps > limits.maxAppFeeBps) {
    return refuseField(
      "INVALID_REQUEST",
      "appFees",
      `add up to ${appBps} basis points; ${limits.maxAppFeeBps} are allowed`
    )
  }
  if (topupGasAmount > limits.maxTopup) {
    return refuseField("INVALID_REQUEST", "topupGasAmount", `at most ${limits.maxTopup} (USD with 6 decimals)`)
  }
  if (txs.length > limits.maxCalls) return refuseField("INVALID_EXTRA_TXS", "txs", `at most ${limits.maxCalls} calls`)
  const { maxTxsGas = Infinity } = limits
  if (txsGasLimit > maxTxsGas) return refuseField("INVALID_REQUEST", "txsGasLimit", `at most ${maxTxsGas}`)
  if (gasLimitForDepositSpecifiedTxs > maxTxsGas) {
    return refuseField("INVALID_REQUEST", "gasLimitForDepositSpecifiedTxs", `at most ${maxTxsGas}`)
  }
  return authorizationList.length > limits.maxAuthorizations
    ? refuseField("INVALID_REQUEST", "authorizationList", `at most ${limits.maxAuthorizations} authorizations`)
    : Result.void
}

/** The request itself when its fields agree with each other and with the operator's limits. */
export const checkRequest = (request: QuoteRequest, limits: RequestLimits): Result.Result<QuoteRequest, QuoteRefused> =>
  Result.gen(function*() {
    yield* checkPairs(request)
    yield* checkTradeType(request)
    yield* checkFixedRateHolds(request)
    yield* checkLimits(request, limits)
    yield* checkCalldata(request.txs ?? [])
    return request
  })
