/**
 * Resolves a decoded request on the configured chains: finds currencies, parses addresses in their own family's
 * spelling, applies defaults (REQUEST-3, REFUND-1).
 *
 * Total and pure: every refusal is a `QuoteRefused` that names the field. Not for prices or money.
 */
import * as Result from "effect/Result"
import type { Address } from "../../chain/Address.ts"
import { findAnyCurrency, keepsNoPayment } from "../../chain/Chain.ts"
import type { Chain } from "../../chain/Chain.ts"
import type { ChainId } from "../../chain/ChainId.ts"
import { servedChain } from "../../chain/ChainNotServed.ts"
import { Bps } from "../../money/Bps.ts"
import { payableFloor } from "../../money/Currency.ts"
import type { Currency } from "../../money/Currency.ts"
import type { QuoteRefused } from "../QuoteError.ts"
import type { QuoteRequest } from "./QuoteRequest.ts"
import { defaultLimits } from "./RequestLimits.ts"
import type { RequestLimits } from "./RequestLimits.ts"
import { checkRequest, refuseField as refuse } from "./RequestRules.ts"
import { resolveOptions } from "./ResolveOptions.ts"
import type { ResolvedOptions } from "./ResolveOptions.ts"
import type { TradeType } from "./TradeType.ts"

/** A request on the configured chains: everything found, parsed and defaulted. */
export interface ResolvedRequest extends ResolvedOptions {
  readonly origin: Chain
  readonly destination: Chain
  readonly originCurrency: Currency
  /**
   * The user's currency when it is swapped before the deposit (`OriginSwap`); `originCurrency` is then the deposit's.
   */
  readonly paid?: Currency
  readonly destinationCurrency: Currency
  readonly user: Address
  readonly recipient: Address
  /** An address of the origin chain. */
  readonly refundTo: Address
  readonly refundOnOrigin: boolean
  readonly amount: bigint
  readonly tradeType: TradeType
  readonly slippage: Bps | undefined
  /** For a deposit after the order's deadline; without it such a deposit is refunded. */
  readonly lateSlippage: Bps | undefined
  readonly ttlSeconds: number | undefined
  readonly includeProtocolData: boolean
  readonly referrer: string | undefined
}

const resolveChain = (chains: ReadonlyArray<Chain>, id: ChainId, field: string) => {
  const chain = servedChain(chains, id)
  return Result.isFailure(chain)
    ? refuse("UNSUPPORTED_CHAIN", field, `${chain.failure.message}; GET /chains lists those that are`)
    : Result.succeed(chain.success)
}

const resolveCurrency = (
  chain: Chain,
  text: string,
  field: string,
  code: "INVALID_INPUT_CURRENCY" | "INVALID_OUTPUT_CURRENCY"
) => {
  const parsed = chain.family.addresses(chain.network).parseCurrency(text)
  if (Result.isFailure(parsed)) return refuse(code, field, `not a currency of ${chain.name}: ${parsed.failure.reason}`)
  const currency = findAnyCurrency(chain, parsed.success)
  return currency === undefined
    ? refuse(
      "UNSUPPORTED_CURRENCY",
      field,
      `this currency of ${chain.name} is not served; GET /chains lists those that are`
    )
    : Result.succeed(currency)
}

const resolveAddress = (chain: Chain, text: string, field: string, code: "INVALID_ADDRESS" | "INVALID_RECIPIENT") => {
  const parsed = chain.family.addresses(chain.network).parse(text)
  return Result.isFailure(parsed)
    ? refuse(code, field, `not an address of ${chain.name}: ${parsed.failure.reason}`)
    : Result.succeed(parsed.success)
}

/** A payment to a token or to one of our contracts would be lost or loop. */
const refuseContract = (chain: Chain, address: Address, field: "recipient" | "refundTo") =>
  keepsNoPayment(chain, address)
    ? refuse(
      field === "recipient" ? "INVALID_RECIPIENT" : "INVALID_ADDRESS",
      field,
      `this address of ${chain.name} is a contract that cannot keep a payment`
    )
    : Result.succeed(address)

/** refundTo, else the recipient, else the user: the first that is an address of the origin chain (REFUND-1). */
const resolveRefundTo = (origin: Chain, request: QuoteRequest, user: Address) => {
  if (request.refundTo !== undefined) return resolveAddress(origin, request.refundTo, "refundTo", "INVALID_ADDRESS")
  const recipient = request.recipient === undefined
    ? undefined
    : origin.family.addresses(origin.network).parse(request.recipient)
  return Result.succeed(recipient !== undefined && Result.isSuccess(recipient) ? recipient.success : user)
}

const bpsOf = (text: string | undefined): Bps | undefined => text === undefined ? undefined : Bps(BigInt(text))

/**
 * The request with its chains, currencies and addresses resolved. Refusals: those of `checkRequest` and
 * `resolveOptions`, UNSUPPORTED_CHAIN, INVALID_INPUT_CURRENCY, INVALID_OUTPUT_CURRENCY, UNSUPPORTED_CURRENCY,
 * INVALID_ADDRESS, INVALID_RECIPIENT.
 */
export const resolveRequest = (
  request: QuoteRequest,
  chains: ReadonlyArray<Chain>,
  limits: RequestLimits = defaultLimits
): Result.Result<ResolvedRequest, QuoteRefused> =>
  Result.gen(function*() {
    yield* checkRequest(request, limits)
    const origin = yield* resolveChain(chains, request.originChainId, "originChainId")
    const destination = yield* resolveChain(chains, request.destinationChainId, "destinationChainId")
    const originCurrency = yield* resolveCurrency(
      origin,
      request.originCurrency,
      "originCurrency",
      "INVALID_INPUT_CURRENCY"
    )
    const destinationCurrency = yield* resolveCurrency(
      destination,
      request.destinationCurrency,
      "destinationCurrency",
      "INVALID_OUTPUT_CURRENCY"
    )
    const user = yield* resolveAddress(origin, request.user, "user", "INVALID_ADDRESS")
    const recipientText = request.recipient ?? request.user
    const recipient = yield* Result.flatMap(
      resolveAddress(destination, recipientText, "recipient", "INVALID_RECIPIENT"),
      (address) => refuseContract(destination, address, "recipient")
    )
    const refundTo = yield* Result.flatMap(resolveRefundTo(origin, request, user), (address) =>
      refuseContract(origin, address, "refundTo"))
    const options = yield* resolveOptions(
      request,
      { origin, originCurrency, destination, destinationCurrency, user },
      limits
    )
    const amount = payableFloor(
      request.amount,
      request.tradeType === "EXACT_INPUT" ? originCurrency : destinationCurrency
    )
    if (amount === 0n) {
      return yield* refuse("AMOUNT_TOO_LOW", "amount", "less than the smallest amount that the exchange can move")
    }
    return {
      ...options,
      origin,
      destination,
      originCurrency,
      destinationCurrency,
      user,
      recipient,
      refundTo,
      refundOnOrigin: request.refundOnOrigin ?? false,
      amount,
      tradeType: request.tradeType,
      slippage: bpsOf(request.slippageTolerance),
      lateSlippage: bpsOf(request.latePaymentSlippageTolerance),
      ttlSeconds: request.ttl,
      includeProtocolData: request.includeProtocolData ?? false,
      referrer: request.referrer
    }
  })
