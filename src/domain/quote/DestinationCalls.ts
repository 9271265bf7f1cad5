/**
 * Calls that a request asks for on the destination (REQUEST-6, SAFE-2): which targets and values are allowed.
 *
 * The router also refuses forbidden targets. Here they are refused before anything has been paid.
 */
import { can } from "../families/FamilyRules.ts"
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import * as Result from "effect/Result"
import type { Chain } from "../chain/Chain.ts"
import type { Currency } from "../money/Currency.ts"
import type { RouterCall } from "../order/RouterCall.ts"
import type { QuoteRefused } from "./QuoteError.ts"
import { allOf, checked, passAll } from "./request/GatherFaults.ts"
import type { Checked } from "./request/GatherFaults.ts"
import type { QuoteRequest } from "./request/QuoteRequest.ts"
import type { RequestLimits } from "./request/RequestLimits.ts"
import type { DestinationCall } from "./request/RequestLists.ts"
import { refuseField } from "./request/RequestRules.ts"

interface CallRoute {
  readonly origin: Chain
  readonly destination: Chain
  readonly destinationCurrency: Currency
}

const resolveCall = (
  destination: Chain,
  { data, to, value }: DestinationCall,
  index: number,
  { refusedTargets }: RequestLimits
): Result.Result<RouterCall, QuoteRefused> => {
  const parsed = protocolAccounts.parse(to)
  const field = `txs.${index}.to`
  if (Result.isFailure(parsed)) return refuseField("INVALID_EXTRA_TXS", field, parsed.failure.reason)
  const target = parsed.success
  const isOurs = target === destination.router || target === destination.vault || target === destination.depository ||
    target === destination.permits?.forwarder || target === destination.permits?.permit2
  return isOurs || refusedTargets.includes(target)
    ? refuseField("INVALID_EXTRA_TXS", field, "calls to this contract are not allowed")
    : Result.succeed({ to: target, data, value })
}

/** Within one chain the calls' gas must be named, between two it is `txsGasLimit` that limits it. */
const checkGasOfCalls = (isOneChain: boolean, isNamed: boolean): Result.Result<void, QuoteRefused> => {
  if (isOneChain === isNamed) return Result.void
  return refuseField(
    "INVALID_REQUEST",
    "gasLimitForDepositSpecifiedTxs",
    isOneChain
      ? "needed because txs run on the chain of the deposit"
      : "txs do not run on the chain of the deposit: txsGasLimit limits them"
  )
}

/**
 * The calls. Fails with EXTRA_TXS_NOT_SUPPORTED on a destination without a router, INVALID_EXTRA_TXS for a forbidden
 * target, or for value when the output is not native currency, and INVALID_REQUEST for `gasLimitForDepositSpecifiedTxs`
 * missing within one chain, or given for another.
 */
export const resolveCalls = (
  { gasLimitForDepositSpecifiedTxs, txs = [] }: QuoteRequest,
  { destination, destinationCurrency, origin }: CallRoute,
  limits: RequestLimits
): Checked<ReadonlyArray<RouterCall>> => {
  if (txs.length === 0) return Result.succeed([])
  if (!can(destination.family, "calls") || destination.router === undefined) {
    return checked(refuseField("EXTRA_TXS_NOT_SUPPORTED", "txs", `${destination.name} runs no calls`))
  }
  const calls = Result.flatMap(
    allOf(txs.map((call, index) => resolveCall(destination, call, index, limits))),
    (each) =>
      destinationCurrency.isNative ? Result.succeed(each) : checked(checkCallValues(each, destinationCurrency, 0n))
  )
  const gas = checkGasOfCalls(origin.id === destination.id, gasLimitForDepositSpecifiedTxs !== undefined)
  return Result.andThen(passAll([gas, calls]), () => calls)
}

/**
 * Σ value ≤ the output when that is native, else 0. Fails with INVALID_EXTRA_TXS. `amountOut` in smallest units of the
 * output.
 */
export const checkCallValues = (
  calls: ReadonlyArray<RouterCall>,
  { isNative }: Currency,
  amountOut: bigint
): Result.Result<ReadonlyArray<RouterCall>, QuoteRefused> => {
  const value = calls.reduce((sum, call) => sum + call.value, 0n)
  return value <= (isNative ? amountOut : 0n)
    ? Result.succeed(calls)
    : refuseField(
      "INVALID_EXTRA_TXS",
      "txs",
      isNative ? `send ${value}, more than the output` : "send native currency, which the output is not"
    )
}
