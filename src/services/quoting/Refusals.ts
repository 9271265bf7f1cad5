/** Maps refusals by the chains to refusals of the quote, in the API's words. */
import type { DepositRefused, DepositUnfit } from "../../../ports/chain/StepBuilder.ts"
import type { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { Currency } from "../../domain/money/Currency.ts"
import { QuoteRefused } from "../../domain/quote/QuoteError.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import { isDestinationSwap } from "../../domain/quote/UserSwap.ts"

/** True when one of the request's own calls failed. */
const isCall = ({ calls }: ResolvedRequest, failed: PaymentRefused["failed"]): boolean =>
  calls.some(({ to }) => to === failed?.call.to)

/** True when the swap of the fill failed, or the allowance before it. */
const isSwap = ({ destination: { swaps } }: ResolvedRequest, failed: PaymentRefused["failed"]): boolean =>
  swaps !== undefined &&
  (swaps.handover === failed?.call.to || swaps.sources.some(({ router }) => router === failed?.call.to))

/** A token that keeps part of each transfer can be neither paid out nor refunded exactly. */
const keepingPart = (
  { destination, destinationCurrency, origin, originCurrency }: ResolvedRequest,
  { chainId, currency }: NonNullable<PaymentRefused["unpayable"]>
) => {
  const isOutput = chainId === destination.id && currency === destinationCurrency.address
  const [field, { symbol }, { name }] = isOutput
    ? ["destinationCurrency", destinationCurrency, destination] as const
    : ["originCurrency", originCurrency, origin] as const
  return new QuoteRefused({
    code: "UNSUPPORTED_CURRENCY",
    field,
    message: `${field}: ${symbol} on ${name} keeps a fee of each transfer of it, so that nobody can be ${
      isOutput ? "paid" : "refunded"
    } an exact amount of it: choose another currency`
  })
}

const tooLarge = (what: string) =>
  new QuoteRefused({
    code: "SOLANA_TX_TOO_LARGE",
    message:
      `${what}: ask for a shorter way (maxRouteLength), for shared accounts (useSharedAccounts), or leave out what adds to it`
  })

/** A fill that cannot be made for any market. */
const unfitFill = (unfit: NonNullable<PaymentRefused["unfit"]>) => {
  switch (unfit._tag) {
    case "TooLarge":
      return tooLarge(`the fill would take a transaction of ${unfit.bytes} bytes, and the chain takes ${unfit.limit}`)
    case "NoWallet":
      return new QuoteRefused({
        code: "INVALID_RECIPIENT",
        field: "recipient",
        message: "recipient is no wallet, and could not keep the payment: name another"
      })
    case "NoAccount":
      return new QuoteRefused({
        code: "INVALID_RECIPIENT",
        field: "recipient",
        message: "recipient is an account that does not exist: open it first, or name another"
      })
    case "NoRefundAccount":
      return new QuoteRefused({
        code: "INVALID_ADDRESS",
        field: "refundTo",
        message:
          "refundTo, by default the user, is an account that does not exist, and could not be refunded: open it first, or name another"
      })
    case "OwnAccount":
      return new QuoteRefused({
        code: "INVALID_RECIPIENT",
        field: "recipient",
        message: "recipient is the account from which this service pays: name another"
      })
    case "OwnRefundAccount":
      return new QuoteRefused({
        code: "INVALID_ADDRESS",
        field: "refundTo",
        message: "refundTo, by default the user, is the account from which this service pays: name another"
      })
  }
}

/** The fill was tried on the chain as it would be made. */
export const refusedFill = (
  request: ResolvedRequest,
  { failed, reason, unfit, unpayable }: PaymentRefused
): QuoteRefused => {
  if (unpayable !== undefined) return keepingPart(request, unpayable)
  if (unfit !== undefined) return unfitFill(unfit)
  if (reason === "unroutable") {
    return new QuoteRefused({
      code: "NO_SWAP_ROUTES_FOUND",
      message: "the source of the fill's swap gives no route now: ask again"
    })
  }
  const shown = failed === undefined ? {} : { failed }
  // The failure is one of: the calls, the topup that is paid before them, or the swap.
  const isOther = request.topup !== undefined || isDestinationSwap(request)
  if (request.calls.length > 0 && reason === "reverts" && (!isOther || isCall(request, failed))) {
    return new QuoteRefused({
      code: "DESTINATION_TX_FAILED",
      field: "txs",
      message:
        "txs: the calls were simulated with the output of this quote, and revert or take more gas than txsGasLimit or the chain allows",
      ...shown
    })
  }
  if (reason === "insufficient-funds") return illiquid(request)
  // A failed call is named by its target; a topup that its recipient refuses is not.
  if (isDestinationSwap(request) && (request.topup === undefined || isSwap(request, failed))) {
    return new QuoteRefused({
      code: "DESTINATION_TX_FAILED",
      field: "destinationCurrency",
      message:
        "destinationCurrency: the swap of the fill, or a refund to refundTo, was simulated and reverts: ask again, allow another of GET /swap-sources, or name another refundTo",
      ...shown
    })
  }
  if (request.topup !== undefined) {
    return new QuoteRefused({
      code: "INVALID_RECIPIENT",
      field: "topupGas",
      message:
        "topupGas: recipient is a contract that takes no native currency, or wants more gas for it than is given: leave topupGas out, or name another recipient",
      ...shown
    })
  }
  return new QuoteRefused({
    code: "INVALID_RECIPIENT",
    field: "recipient",
    message:
      "recipient or refundTo cannot be paid: it is a contract that does not take a plain payment or wants more gas for it than is given, or the currency is paused or blocks it: name another",
    ...shown
  })
}

/** `short`: the currency that is missing, when known. */
export const illiquid = (
  { destination, destinationCurrency, origin, originCurrency, topup }: ResolvedRequest,
  short?: Currency
) =>
  new QuoteRefused({
    code: "INSUFFICIENT_LIQUIDITY",
    field: short === destination.native && topup !== undefined ? "topupGas" : "amount",
    message: `not enough ${
      short?.symbol ?? (topup === undefined
        ? destinationCurrency.symbol
        : `${destinationCurrency.symbol} or ${destination.native.symbol}`)
    } on ${destination.name}, or no ${originCurrency.symbol} on ${origin.name} to refund from, now: ask for less, or later`
  })

/** The refusal of `usePermit` for a token without permits. */
export const withoutPermits = ({ symbol }: Currency) =>
  new QuoteRefused({
    code: "INVALID_REQUEST",
    field: "usePermit",
    message: `usePermit: ${symbol}, the originCurrency, cannot be deposited by a permit here`
  })

/** The refusal of a deposit that the chain would revert, with the call that reverted. */
export const refusedDeposit = ({ call, block, message }: DepositRefused) =>
  new QuoteRefused({
    code: "INVALID_REQUEST",
    field: "user",
    message: `user: ${message}; is the account or the token blocked?`,
    failed: { call, block }
  })

/** The user's own transaction cannot be made as the request asks. */
export const unfitDeposit = ({ message, reason }: DepositUnfit) => {
  switch (reason._tag) {
    case "TooLarge":
      return tooLarge(message)
    case "FeePayerUnfunded":
      return new QuoteRefused({
        code: "INVALID_REQUEST",
        field: "depositFeePayer",
        message: `depositFeePayer: ${message}: fund it, or leave it out`
      })
    case "UserUnfunded":
      return new QuoteRefused({
        code: "INSUFFICIENT_USER_BALANCE",
        field: "user",
        message: `user: ${message}: fund it, wait for a block, or ask for less`
      })
    case "TooManyCoins":
      return new QuoteRefused({
        code: "INVALID_REQUEST",
        field: "user",
        message: `user: ${message}: join them by a payment to itself, or ask for less`
      })
    case "BelowLeast":
    case "Dust":
      return new QuoteRefused({ code: "AMOUNT_TOO_LOW", field: "amount", message: `amount: ${message}: send more` })
    case "AmountNotExact":
      return new QuoteRefused({ code: "INVALID_REQUEST", field: "amount", message: `amount: ${message}: send less` })
    case "RecipientKeepsNothing":
      return new QuoteRefused({
        code: "INVALID_RECIPIENT",
        field: "recipient",
        message: `recipient: ${message}: name another, or a larger amount`
      })
    case "NobodyPaysRecipient":
      return new QuoteRefused({
        code: "INVALID_RECIPIENT",
        field: "recipient",
        message: `recipient: ${message}: open it first, or name another`
      })
    case "TransferFee":
      return new QuoteRefused({
        code: "UNSUPPORTED_CURRENCY",
        field: "originCurrency",
        message: `originCurrency: ${message}`
      })
    case "NotAsQuoted":
      return new QuoteRefused({
        code: "NO_SWAP_ROUTES_FOUND",
        message: `${message}: ask again, or allow another of GET /swap-sources`
      })
  }
}
