/** One page for each code: its meaning, and what to do about it. Every error with a code links its page. */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { signInReasons } from "../../../src/domain/api-key/SignInRefused.ts"
import type { SignInReason } from "../../../src/domain/api-key/SignInRefused.ts"
import { payoutReasons } from "../../../src/domain/ledger/PayoutRefused.ts"
import type { PayoutReason } from "../../../src/domain/ledger/PayoutRefused.ts"
import { quoteErrorCodes } from "../../../src/domain/quote/QuoteError.ts"
import type { QuoteErrorCode } from "../../../src/domain/quote/QuoteError.ts"
import { prepare } from "../../http/ahead/PreparedAnswer.ts"
import type { PreparedAnswer } from "../../http/ahead/PreparedAnswer.ts"
import { answer } from "../page/Document.ts"
import { html } from "../page/Html.ts"
import { prefersPage } from "../../http/PrefersPage.ts"

export const errorPages: Readonly<Record<QuoteErrorCode, string>> = {
  AMOUNT_TOO_LOW:
    "The amount does not cover the fees, or nothing would be left to deliver. Request more; the message says how high the fees are.",
  INVALID_ADDRESS:
    "A field that must be an address of the origin chain is not one: wrong length, wrong alphabet or a wrong checksum; or a refund could not be paid to it, because no such account exists. errorData names the field.",
  INVALID_RECIPIENT:
    "The recipient is not an address of the destination chain, is a contract that cannot keep a payment, or does not exist where only its owner can open it. Name another; the default is the user.",
  INVALID_INPUT_CURRENCY:
    "originCurrency is not a currency address of the origin chain. The native currency is the chain's sentinel, on EVM the zero address.",
  INVALID_OUTPUT_CURRENCY:
    "destinationCurrency is not a currency address of the destination chain. The native currency is the chain's sentinel, on EVM the zero address.",
  INVALID_SLIPPAGE_TOLERANCE: "slippageTolerance is not 0 to 10000 basis points, written in digits.",
  INVALID_REQUEST: "A field is missing, of the wrong type or value, or needs another field. errorData names it.",
  UNSUPPORTED_CHAIN: "The chain is not served here. GET /chains lists those that are.",
  UNSUPPORTED_CURRENCY: "The currency is not served on this chain. GET /chains lists those that are.",
  UNSUPPORTED_ROUTE: "Chains and currencies are served, but not in this combination.",
  UNSUPPORTED_TRADE_TYPE: "This kind of request cannot have this trade type.",
  NO_SWAP_ROUTES_FOUND:
    "No swap source gives a price for this pair and amount. The message says whether another amount, another currency or other sources can help.",
  INSUFFICIENT_LIQUIDITY: "The solver does not hold enough of the output currency now. Request less, or try later.",
  INSUFFICIENT_APP_BALANCE:
    "The sponsor's app balance does not cover the fees to be sponsored. Fund it, or lower the cap.",
  SPONSOR_WALLET_NOT_LINKED: "The API key has no linked wallet whose balance could sponsor.",
  SPONSOR_BUDGET_EXCEEDED: "The sponsor's budget for this key, recipient or day is spent.",
  IDEMPOTENCY_KEY_REUSED: "The Idempotency-Key was used with another body. Use a new one for a new request.",
  SWAP_IMPACT_TOO_HIGH:
    "The swap would lose more than 10 % of its input. Ask for less, or accept it with overridePriceImpact where that is served.",
  CHAIN_DISABLED:
    "The operator has paused this chain, route or currency, the chain is halted because a final block of it was replaced, or a chain contradicts the service's configuration of it: then the message names the entry. Try again later.",
  INVALID_EXTRA_TXS: "The destination calls are not valid, or spend more than the output.",
  EXTRA_TXS_NOT_SUPPORTED: "Destination calls are not possible on this route.",
  DESTINATION_TX_FAILED: "The destination calls failed when they were simulated.",
  PERMIT_FAILED: "The permit is not valid: wrong signer, expired, or its nonce was used.",
  SOLANA_TX_TOO_LARGE: "The transaction does not fit into Solana's 1232 bytes.",
  PRICE_FETCH_FAILED: "No reliable price is available now. Try again in a moment.",
  SERVICE_UNAVAILABLE: "A chain or the store does not answer now. Try again in a moment; nothing was charged.",
  UNAUTHORIZED: "The x-api-key header is missing, unknown or revoked, and this request needs one.",
  UNKNOWN_ERROR: "A defect of this service. The operator finds it in the log by the requestId; report that id.",
  INSUFFICIENT_USER_BALANCE:
    "The user does not hold the amount and the fee of the transaction in coins that a block contains, so there is nothing to sign. Fund it, wait for a block, or request less."
}

/** For messages that wallets sign. */
export const signInPages: Readonly<Record<SignInReason, string>> = {
  MALFORMED_MESSAGE:
    "The message is not a Sign-In-With-Ethereum message (EIP-4361). Send the challenge's text back unchanged, including its line breaks.",
  WRONG_DOMAIN:
    "The message was made by or for another service. Do not sign messages of other services; request one from this service.",
  WRONG_CHAIN: "The message is for another chain. Wallets sign for the settlement chain, which GET /chains names.",
  UNKNOWN_NONCE: "This service made no message with this nonce, or made it more than an hour ago. Request a new one.",
  MESSAGE_EXPIRED: "A message is valid for five minutes. Request a new one.",
  NONCE_USED: "A message can be used once, and this one was used. Request a new one.",
  WRONG_PURPOSE: "A message to link is sent to POST /api-keys/wallets, one to unlink to POST /api-keys/wallets/unlink.",
  WRONG_KEY:
    "The message was made under another API key than the one that came with it. Ask for one under the key that is to be linked.",
  WRONG_WALLET: "The message names another wallet than the one it was made for. Ask for a message for that wallet.",
  ALTERED_MESSAGE: "The text differs from the one that was made. Sign and send it unchanged.",
  WRONG_SIGNATURE:
    "The signature is not that of the wallet that the message names: neither its key's (personal_sign of the text) nor one that its contract on the settlement chain accepts (EIP-1271)."
}

/** For claims, withdrawals, and the payment of app fees that a sponsor owes. */
export const payoutPages: Readonly<Record<PayoutReason, string>> = {
  PAYOUT_INVALID_AMOUNT: "The amount must be above zero, in smallest units of the currency.",
  PAYOUT_UNSUPPORTED_CURRENCY:
    "Claims are in a currency that is served here, withdrawals in the token of the settlement chain: GET /chains and GET /app-fees/{wallet}/balances name them.",
  PAYOUT_INVALID_RECIPIENT:
    "Wallet and recipient are accounts of the settlement chain; the recipient is not the zero address, a token, or an account or a contract of this service.",
  PAYOUT_EXPIRED:
    "The deadline that was signed has passed, and nothing was paid. Sign another one with the same nonce, or with a new one.",
  PAYOUT_WRONG_SIGNATURE:
    "The signature is not the wallet's signature of these values (EIP-712; contracts by EIP-1271 on the settlement chain). The domain is {name: Causeway, version: 1, chainId: the settlement chain, verifyingContract: the solver}, both from GET /chains; addresses of currencies are signed in lower case.",
  PAYOUT_NONCE_USED: "The wallet has used this nonce for another payout of this kind. Sign with a new one.",
  PAYOUT_INSUFFICIENT_BALANCE:
    "More than can be claimed in this currency, or than is unspent of the app balance. App fees that a sponsor took over cannot be claimed before the sponsor has paid them; what is held for requests cannot be withdrawn.",
  PAYOUT_TOO_LOW:
    "The amount is worth less than the gas of paying it out, or it is less than a cent of a larger debt. Claim or pay more at once.",
  PAYOUT_RECIPIENT_REFUSES:
    "The recipient is a contract that does not accept the payment, or needs more gas than a plain payment has. Name another recipient.",
  PAYOUT_TOO_MANY: "A wallet can ask for 100 payouts in 24 hours. Claim more at once, or come back later.",
  PAYOUT_NOT_OWED:
    "The wallet does not owe the recipient so much in this currency. What a sponsor owes for app fees that it took over is in `owed` of GET /app-fees/{wallet}/balances."
}

export const pathOfErrorPage = (code: QuoteErrorCode | SignInReason | PayoutReason): `/${string}` =>
  `/documentation/errors/${code}`

/** A page for a browser, the same as text for everybody else. Each is prepared when it is first asked for. */
const page = (code: QuoteErrorCode | SignInReason | PayoutReason, text: string) => {
  let shown: PreparedAnswer | undefined
  let written: PreparedAnswer | undefined
  const forBrowsers = () =>
    shown ??= prepare(answer({
      status: 200,
      title: code,
      body: html`<main><header><p class="brand">Error code</p><h1>${code}</h1></header><section><p>${text}</p></section>
<footer><p><a href="/documentation">The API</a></p></footer></main>`
    }))
  const forOthers = () =>
    written ??= prepare(HttpServerResponse.text(`${code}\n\n${text}\n`, { headers: { vary: "accept" } }))
  return HttpRouter.route(
    "GET",
    pathOfErrorPage(code),
    ({ headers }) => Effect.sync(() => (prefersPage(headers["accept"]) ? forBrowsers() : forOthers())(headers))
  )
}

export const layer = HttpRouter.addAll([
  ...quoteErrorCodes.map((code) => page(code, errorPages[code])),
  ...signInReasons.map((reason) => page(reason, signInPages[reason])),
  ...payoutReasons.map((reason) => page(reason, payoutPages[reason]))
])
