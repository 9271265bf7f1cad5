/**
 * Accepts claims of app fees and withdrawals of app balances: judges them, and reserves the money in the ledger
 * (BALANCE-4). `PayingOut` pays.
 *
 * Fees in a currency of the settlement chain are paid in that currency. Fees from another chain are paid in the
 * settlement token, at the price when the claim is accepted, rounded down. SECURITY: nothing is reserved without the
 * wallet's signature over all of it. One signed request is one payout, however often it is sent.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { OrderSigner } from "../../../ports/signing/OrderSigner.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import type { Payout } from "../../../ports/store/ledger/Payouts.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import type { LedgerRefused } from "../../domain/ledger/LedgerRefused.ts"
import { payoutId } from "../../domain/ledger/Payout.ts"
import type { PayoutRequest } from "../../domain/ledger/Payout.ts"
import type { PayoutRefused } from "../../domain/ledger/PayoutRefused.ts"
import type { LedgerCurrency } from "../../domain/ledger/Transaction.ts"
import { findChain, findCurrency, keepsNoPayment } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Hex, Hex32 } from "../../domain/encoding/Hex.ts"
import type { TransactionId } from "../../domain/chain/TransactionId.ts"
import { convertCeil, convertFloor } from "../../domain/money/Currency.ts"
import type { Currency } from "../../domain/money/Currency.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { WalletSignatures } from "../clients/WalletSignatures.ts"
import { setAside } from "./PayoutMovements.ts"
import { assertInTime, assertSigned, refuse } from "./SignedRequests.ts"

/** A payout and its transaction, once there is one. It may still be replaced or not be in a block. */
export interface KnownPayout {
  readonly payout: Payout
  readonly transactionId: TransactionId | undefined
}

/** How many payouts a wallet may request per day: the solver pays the gas of each. */
const MAX_A_DAY = 100
const DAY_MS = Duration.toMillis(Duration.days(1))

const ledgerSays = ({ kind }: PayoutRequest, { reason }: LedgerRefused): PayoutRefused => {
  switch (reason) {
    case "duplicate-id":
      return refuse("PAYOUT_NONCE_USED", "nonce: the wallet has used it for another payout of this kind")
    case "invalid-amount":
    case "empty":
      return refuse("PAYOUT_INVALID_AMOUNT", "amount: it must be above zero")
    default:
      return refuse(
        "PAYOUT_INSUFFICIENT_BALANCE",
        kind === "claim"
          ? "amount: more than the wallet's app fees in this currency that can be claimed"
          : "amount: more than the wallet's unspent app balance; what is held for requests cannot be withdrawn"
      )
  }
}

const known = Effect.fnUntraced(function*(payout: Payout) {
  const payments = yield* Payments
  const payment = yield* payments.find(OrderId.make(payout.id), "payout")
  return { payout, transactionId: payment?.transactionId } satisfies KnownPayout
})

/** Undefined for an unknown id. */
export const findPayout = Effect.fn("AcceptingPayouts.find")(function*(id: Hex32) {
  const payouts = yield* Payouts
  const payout = yield* payouts.find(id)
  return payout === undefined ? undefined : yield* known(payout)
})

const findServed = (chains: ReadonlyArray<Chain>, { address, chainId }: LedgerCurrency): Currency | undefined => {
  const of = findChain(chains, chainId)
  return of === undefined ? undefined : findCurrency(of, address)
}

/** The amount to pay on the settlement chain for the amount that leaves the ledger. */
const paidFor = Effect.fnUntraced(function*({ amount, currency, kind }: PayoutRequest) {
  const { all } = yield* Chains
  const prices = yield* Prices
  const { chain, token } = yield* SettlementChain
  const settlement = findCurrency(chain, token)
  const taken = findServed(all, currency)
  if (settlement === undefined || taken === undefined) {
    return yield* refuse("PAYOUT_UNSUPPORTED_CURRENCY", "currency: it is not served here")
  }
  if (kind === "withdraw" && (taken.chainId !== chain.id || taken.address !== token)) {
    return yield* refuse(
      "PAYOUT_UNSUPPORTED_CURRENCY",
      "currency: app balances are in the token of the settlement chain; GET /chains names it"
    )
  }
  if (taken.chainId === chain.id) return { currency: taken, amount }
  const [from, to] = yield* Effect.all([prices.priceOf(taken), prices.priceOf(settlement)], {
    concurrency: "unbounded"
  })
  return { currency: settlement, amount: convertFloor(amount, from, to) }
})

/** A payout must be worth its gas, and its recipient must accept it. */
const assertWorth = Effect.fnUntraced(
  function*(
    id: Hex32,
    { recipient }: PayoutRequest,
    { amount, currency }: Effect.Success<ReturnType<typeof paidFor>>
  ) {
    const gas = yield* Gas
    const prices = yield* Prices
    const { chain } = yield* SettlementChain
    const tooLow = refuse("PAYOUT_TOO_LOW", "amount: less than the gas of paying it")
    if (amount === 0n) return yield* tooLow
    const cost = yield* gas.ofPayment({
      _tag: "Payout",
      chain,
      currency,
      recipient,
      amount,
      orderId: OrderId.make(id)
    }).pipe(
      Effect.catchTag("PaymentRefused", ({ reason }) =>
        reason === "reverts"
          ? Effect.fail(
            refuse(
              "PAYOUT_RECIPIENT_REFUSES",
              "recipient: it does not accept the payment, or needs more gas than a plain payment has"
            )
          )
          // An empty treasury is the operator's problem: the money is reserved, and paid when the treasury is filled.
          : Effect.succeed(0n))
    )
    const [native, paid] = yield* Effect.all([prices.priceOf(chain.native), prices.priceOf(currency)], {
      concurrency: "unbounded"
    })
    if (convertCeil(cost, native, paid) > amount) return yield* tooLow
  }
)

/** The payout for the signed request, made now or before. Fails with `PayoutRefused`, which says why. */
export const acceptPayout = Effect.fn("AcceptingPayouts.accept")(
  function*(request: PayoutRequest, signature: Hex) {
    const payouts = yield* Payouts
    const signatures = yield* WalletSignatures
    const { solver } = yield* OrderSigner
    const { chain } = yield* SettlementChain
    const { accountsOn } = yield* SentTransactions
    const id = yield* assertSigned(signatures, payoutId({ chainId: chain.id, solver }, request), request, signature)
    const before = yield* payouts.find(id)
    if (before !== undefined) return yield* known(before)
    const askedAt = yield* assertInTime(request)
    if ([solver, ...accountsOn(chain)].includes(request.recipient) || keepsNoPayment(chain, request.recipient)) {
      return yield* refuse(
        "PAYOUT_INVALID_RECIPIENT",
        "recipient: not the zero address, a token, or an account or a contract of this service"
      )
    }
    const paid = yield* paidFor(request)
    yield* assertWorth(id, request, paid)
    if ((yield* payouts.askedSince(request.wallet, askedAt - DAY_MS)) >= MAX_A_DAY) {
      return yield* refuse("PAYOUT_TOO_MANY", `a wallet can ask for ${MAX_A_DAY} payouts in 24 hours`)
    }
    const { amount, currency, kind, nonce, recipient, wallet } = request
    const made = {
      id,
      kind,
      wallet,
      recipient,
      currency,
      amount,
      nonce,
      paid: { currency: { chainId: chain.id, address: paid.currency.address }, amount: paid.amount },
      askedAt
    }
    const movement = yield* Effect.mapError(
      Effect.fromResult(setAside(made)),
      (refused) => ledgerSays(request, refused)
    )
    const kept = yield* payouts.reserve(made, movement).pipe(
      Effect.catchTag("LedgerRefused", (refused) => Effect.fail(ledgerSays(request, refused)))
    )
    return yield* known(kept)
  }
)
