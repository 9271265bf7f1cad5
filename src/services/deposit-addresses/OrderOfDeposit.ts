/**
 * Chooses the order that the deposit of a sweep names: the address's own, or a new one (ADDRESS-9).
 *
 * A strict address has one order. An open one has an order for each deposit of the quoted currency: its own for the
 * first, and a new request for each later one, or one on another chain, priced by its amount. A deposit that cannot be
 * quoted, or is in another currency, is made under the address's own order and refunded. When the fill swaps, an amount
 * other than the quoted one is a new request as well. A new request is quoted with the part that a sponsor pays, or
 * without a sponsor.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { findChain, findCurrency } from "../../domain/chain/Chain.ts"
import type { ApiKey, ApiKeyId } from "../../domain/api-key/ApiKey.ts"
import { isOfFormerFactory } from "../../domain/deposit-address/FactoryOf.ts"
import { unsponsored } from "../../domain/deposit-address/LaterRequest.ts"
import type { Arrived } from "../../domain/deposit-address/LaterRequest.ts"
import { sweepId } from "../../domain/deposit-address/SweepId.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import type { QuoteRefused } from "../../domain/quote/QuoteError.ts"
import type { QuoteErrorCode } from "../../domain/quote/QuoteError.ts"
import type { QuoteRequest } from "../../domain/quote/request/QuoteRequest.ts"
import { Pausing } from "../operations/Pausing.ts"
import { Quoting } from "../quoting/Quoting.ts"
import { sponsoredRequest } from "./SponsoredLater.ts"
import type { Swept } from "./SponsoredLater.ts"

/**
 * True when the address's own order has had a deposit, whatever its result. A deposit that was just swept may not be
 * seen in the depository yet; its stored sweep shows it.
 */
const hasBegun = Effect.fnUntraced(function*({ address, chainId, currency, orderId }: KeptAddress, number: number) {
  const sweeps = yield* Sweeps
  const before = number === 0
    ? undefined
    : yield* sweeps.find(sweepId({ chainId, address, currency, number: number - 1 }))
  if (before?.state === "done") return true
  const history = yield* TransferHistory
  const deposits = yield* history.deposits(orderId)
  return deposits.some(({ deposit }) => deposit.chainId === chainId && deposit.currency === currency)
})

const sponsorless: ReadonlySet<QuoteErrorCode> = new Set<QuoteErrorCode>([
  "INSUFFICIENT_APP_BALANCE",
  "SPONSOR_WALLET_NOT_LINKED",
  "SPONSOR_BUDGET_EXCEEDED",
  "UNAUTHORIZED"
])

/** Its current state. Undefined when it was revoked. */
const keyOf = Effect.fnUntraced(function*(id: ApiKeyId | undefined) {
  if (id === undefined) return undefined
  const keys = yield* ApiKeys
  return (yield* keys.all).find(({ key, revokedAt }) => key.id === id && revokedAt === undefined)?.key
})

/** How long a deposit waits for inventory before it is refunded, as for every fill, and how often it is checked. */
const PATIENCE_MS = 600_000
const AGAIN = Duration.seconds(5)

/** While an operator or a halt keeps the route from being quoted, the deposit waits: its address never expires. */
const untilServed = Effect.fnUntraced(function*(request: QuoteRequest) {
  const pausing = yield* Pausing
  while (
    yield* pausing.refusePaused(request).pipe(
      Effect.as(false),
      Effect.catchTag("QuoteRefused", () => Effect.succeed(true))
    )
  ) {
    yield* Effect.sleep(AGAIN)
  }
})

/** The order of a new request. Undefined when the deposit cannot be quoted. */
const quoteLater = Effect.fnUntraced(
  function*(kept: KeptAddress, request: QuoteRequest, key: ApiKey | undefined, queuedAt: number) {
    const quoting = yield* Quoting
    const quote = Effect.fnUntraced(function*(body: QuoteRequest) {
      while (true) {
        yield* untilServed(body)
        const quoted = yield* Effect.result(quoting.quoteLater(kept, body, key))
        if (Result.isSuccess(quoted)) return quoted.success
        const { failure } = quoted
        const isShort = failure._tag === "QuoteRefused" && failure.code === "INSUFFICIENT_LIQUIDITY"
        if (!isShort || (yield* Clock.currentTimeMillis) >= queuedAt + PATIENCE_MS) return yield* Effect.fail(failure)
        yield* Effect.sleep(AGAIN)
      }
    })
    return yield* quote(request).pipe(
      Effect.catchTag(
        "QuoteRefused",
        (refused) => sponsorless.has(refused.code) ? quote(unsponsored(request)) : Effect.fail(refused)
      ),
      Effect.catchTag("QuoteRefused", (refused: QuoteRefused) =>
        Effect.as(
          Effect.logWarning(`what came to ${kept.address} cannot be quoted and goes back: ${refused.code}`),
          undefined
        ))
    )
  }
)

type OnChain = Pick<Arrived, "chainId" | "currency">

/** On another chain, the quoted currency is the one with the same symbol. */
const isSameAsset = Effect.fnUntraced(function*(one: OnChain, other: OnChain) {
  const chains = yield* Chains
  const symbolOf = ({ chainId, currency }: OnChain) => {
    const chain = findChain(chains.all, chainId)
    return chain === undefined ? undefined : findCurrency(chain, currency)?.symbol
  }
  const symbol = symbolOf(one)
  return symbol !== undefined && symbol === symbolOf(other)
})

/** `number`: the sweep's, among the sweeps of this currency; `queuedAt`: when the balance was seen, milliseconds. */
export const orderOfDeposit = Effect.fnUntraced(function*(kept: KeptAddress, arrived: Swept) {
  const isQuoted = arrived.chainId === kept.chainId
    ? arrived.currency === kept.currency
    : yield* isSameAsset(kept, arrived)
  if (kept.mode === "strict" || !isQuoted) return kept.orderId
  const transfers = yield* Transfers
  const first = yield* transfers.findByOrder(kept.orderId)
  // A swap in the fill is for exactly the quoted amount: another amount is a new request from the start.
  const fits = first?.terms.destinationSwap === undefined || first.terms.amountIn === arrived.units
  if (fits && arrived.chainId === kept.chainId && !(yield* hasBegun(kept, arrived.number))) return kept.orderId
  const request = first?.terms.depositAddress?.request
  // Money that arrived on its destination chain is no transfer between chains, so it is refunded.
  if (first === undefined || request === undefined || request.destinationChainId === arrived.chainId) {
    return kept.orderId
  }
  const { all } = yield* Chains
  const chain = findChain(all, arrived.chainId)
  const key = yield* keyOf(kept.apiKeyId)
  const sponsor = chain !== undefined && isOfFormerFactory(chain, kept) ? undefined : key
  const later: OrderId | undefined = yield* quoteLater(
    kept,
    yield* sponsoredRequest(kept, first, request, sponsor, arrived),
    key,
    arrived.queuedAt
  )
  return later ?? kept.orderId
})
