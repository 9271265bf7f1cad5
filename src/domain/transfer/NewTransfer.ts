/** The transfer that a quote creates, as it is stored before the quote is answered. */
import type { ApiKeyId } from "../api-key/ApiKey.ts"
import type { Address } from "../chain/Address.ts"
import type { Order, OrderId } from "../order/Order.ts"
import { keptCall } from "../swap/UserCall.ts"
import type { UserSwapCall } from "../swap/UserCall.ts"
import type { Priced } from "../quote/pricing/Pricing.ts"
import type { PermitTerms } from "../permit/Permit.ts"
import type { QuoteRequest } from "../quote/request/QuoteRequest.ts"
import type { AskedAddress } from "../quote/request/ResolvedRequest.ts"
import type { ResolvedRequest } from "../quote/request/ResolveRequest.ts"
import type { Quote } from "../quote/wire/Quote.ts"
import type { Agreement } from "../sponsorship/Agreement.ts"
import type { RefundBounds } from "./refund/RefundBounds.ts"
import type { RequestId } from "./RequestId.ts"
import type { Transfer, TransferTerms } from "./Transfer.ts"

/** The parts of a quote that its transfer stores. */
export interface QuotedParts {
  readonly id: RequestId
  readonly orderId: OrderId
  readonly order: Order
  readonly orderSignature: string
  readonly request: ResolvedRequest
  readonly body: QuoteRequest
  readonly priced: Pick<Priced, "amountIn" | "amountOut">
  readonly minimumOut: bigint
  readonly quote: Quote
  /** The key that came with the request. */
  readonly apiKeyId: ApiKeyId | undefined
  /** Undefined without subsidizeFees. */
  readonly sponsorship: Agreement | undefined
  /** Milliseconds. */
  readonly now: number
  /** How long a fill waits for inventory, if the request allows it. */
  readonly waitSeconds: number
  /** True for a direct payment, which the user carries out alone. */
  readonly send: boolean
  /** The call of a swap that the user carries out alone. */
  readonly userSwap: UserSwapCall | undefined
  /** What the user swaps before the deposit; undefined without such a swap. */
  readonly originSwap: TransferTerms["originSwap"]
  /** The output of the swap that the order's calls make; undefined when they do not swap. */
  readonly destinationSwap: TransferTerms["destinationSwap"]
  /** The order's own deposit address; undefined when the user's deposit names the order itself. */
  readonly depositAddress: Address | undefined
  /** What the user signs instead of sending a transaction; undefined when the user sends one. */
  readonly permit: PermitTerms | undefined
  /** What the price holds for opening the recipient's account; undefined where no payment opens one. */
  readonly rent: bigint | undefined
  /** Gas or energy that the price holds for strangers' code in the fill; undefined where none can run. */
  readonly codeUnits: bigint | undefined
  /** How much less than the deposit a refund may be; undefined without txs. */
  readonly refundBounds: RefundBounds | undefined
  /** True when the deposit must be refunded unconditionally. */
  readonly forceRefund: boolean
}

/** An open address keeps the original request, because each later deposit is quoted again from it. */
const keptAddress = (
  { depositor, factory, mode }: AskedAddress,
  { recoveryAddress, refundTo }: ResolvedRequest,
  body: QuoteRequest
) => {
  const goesTo = body.refundTo === undefined ? recoveryAddress : refundTo
  return {
    mode,
    depositor,
    ...(factory === undefined ? {} : { factory }),
    ...(goesTo === undefined ? {} : { refundTo: goesTo }),
    ...(mode === "open" ? { request: body } : {})
  }
}

export const newTransfer = (parts: QuotedParts): Transfer => {
  const {
    apiKeyId,
    body,
    destinationSwap,
    depositAddress: address,
    forceRefund,
    id,
    minimumOut,
    now,
    order,
    orderId,
    orderSignature,
    originSwap,
    permit,
    priced,
    quote,
    request,
    send,
    sponsorship,
    userSwap
  } = parts
  return {
    id,
    orderId,
    order,
    orderSignature,
    terms: {
      originChainId: request.origin.id,
      originCurrency: request.originCurrency.address,
      destinationChainId: request.destination.id,
      destinationCurrency: request.destinationCurrency.address,
      user: request.user,
      recipient: request.recipient,
      refundTo: request.refundTo,
      tradeType: request.tradeType,
      amountIn: priced.amountIn,
      amountOut: priced.amountOut,
      minimumOut,
      ...(body.ttl === undefined ? {} : { ttlSeconds: body.ttl }),
      ...(request.externalLiquidity ? { waitSeconds: parts.waitSeconds } : {}),
      ...(send ? { send } : {}),
      ...(userSwap === undefined ? {} : { userSwap: keptCall(userSwap) }),
      ...(originSwap === undefined ? {} : { originSwap }),
      ...(destinationSwap === undefined
        ? {}
        : { destinationSwap: { ...destinationSwap, ...(body.useFallbacks === true ? { fallback: true } : {}) } }),
      ...(request.depositAddress === undefined || address === undefined
        ? {}
        : { depositAddress: { address, ...keptAddress(request.depositAddress, request, body) } }),
      ...(permit === undefined ? {} : { permit }),
      ...(request.authorizations.length === 0 ? {} : { authorizations: request.authorizations }),
      ...(parts.rent === undefined ? {} : { rent: parts.rent }),
      ...(parts.codeUnits === undefined ? {} : { codeUnits: parts.codeUnits }),
      ...(parts.refundBounds === undefined ? {} : { refundBounds: parts.refundBounds }),
      ...(forceRefund ? { forceRefund } : {}),
      ...(body.enableTrueExactOutput === true ? { trueExactOutput: true } : {}),
      ...(request.lateSlippage === undefined ? {} : { lateSlippageBps: request.lateSlippage }),
      ...(request.appFees.length === 0 ? {} : { appFees: request.appFees }),
      ...(sponsorship === undefined ? {} : { sponsorship }),
      ...(request.fixedRate === undefined ? {} : { fixedRate: request.fixedRate }),
      ...(request.callsGas === undefined ? {} : { callsGas: request.callsGas }),
      ...(body.referrer === undefined ? {} : { referrer: body.referrer }),
      ...(body.referrerAddress === undefined ? {} : { referrerAddress: body.referrerAddress })
    },
    quote,
    ...(apiKeyId === undefined ? {} : { apiKeyId }),
    quotedAt: now,
    status: "waiting",
    failReason: null,
    updatedAt: now
  }
}
