/** POST /transactions/deposit-address/reindex and GET /deposit-addresses (REINDEX-4). */
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { KeptAddress } from "../../../../ports/store/orders/DepositAddresses.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import type { ReindexCaller, ReindexRefused } from "../../../../src/domain/deposit-address/reindex/AdmitReindex.ts"
import type { ReindexPlan } from "../../../../src/domain/deposit-address/reindex/PlanReindex.ts"
import { Reindexing } from "../../../../src/services/deposit-addresses/Reindexing.ts"
import type { AskedAddress } from "../../../../src/services/deposit-addresses/Reindexing.ts"
import { Forbidden, NoSuchAddress } from "./DepositAddressesApi.ts"
import type { DepositAddressQuery, DepositAddressRow, ReindexAnswer, ReindexRequest } from "./DepositAddressesApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { tooMany } from "../../middleware/Refusals.ts"
import { callersKey } from "../../middleware/ApiKey.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

/** `sweep` is no longer supported since this version. Seconds of its first day (RFC 9745). */
const DEPRECATED = { deprecation: "@1763596800" } as const

const sentence = ({ begunCurrencies, outdatedCurrencies, queue, triggered, waiting }: ReindexPlan): string => {
  const before = begunCurrencies === 0 ? "" : `; ${begunCurrencies} queued before`
  if (triggered.length === 0) {
    const nothing = outdatedCurrencies > 0
      ? "nothing was seen at the deposit address since it was last swept"
      : `nothing${begunCurrencies === 0 ? "" : " more"} lies at the deposit address`
    return `${nothing}${before}`
  }
  const rest = waiting.length === 0
    ? ""
    : `; ${
      waiting.map(({ currency }) => currency.symbol).join(", ")
    }: waits until it is known to be worth twice the gas of moving it`
  return `${queue.length} ${queue.length === 1 ? "withdrawal" : "withdrawals"} queued${before}${rest}`
}

const answerOf = (plan: ReindexPlan): ReindexAnswer => ({
  message: sentence(plan),
  triggeredCurrencies: plan.triggered.map(({ currency, units }) => ({
    currency: currency.address,
    symbol: currency.symbol,
    balance: units.toString()
  })),
  checkedCurrencies: plan.checkedCurrencies,
  failedCurrencies: plan.failedCurrencies
})

const refusal = ({ message, retryAfterSeconds, status }: ReindexRefused) => {
  switch (status) {
    case 400:
      return Effect.fail(new BadRequest({ message }))
    case 403:
      return Effect.fail(new Forbidden({ message }))
    case 404:
      return Effect.fail(new NoSuchAddress({ message }))
    case 429:
      return Effect.succeed(tooMany(message, retryAfterSeconds ?? 1))
    case 503:
      return Effect.fail(new Unavailable({ message }))
  }
}

/** SECURITY: without order and depositor. With them anyone could compute the address's inputs, and call its factory. */
const recordRow = (kept: KeptAddress): DepositAddressRow => ({
  depositAddress: kept.address,
  type: kept.mode,
  requestId: kept.requestId,
  chainId: kept.chainId,
  createdAt: new Date(kept.createdAt).toISOString(),
  currency: kept.currency,
  refundTo: kept.refundTo ?? null
})

const asked = ({ address, chainId, requestId }: DepositAddressQuery): Effect.Effect<AskedAddress, BadRequest> => {
  if (requestId !== undefined && address === undefined && chainId === undefined) return Effect.succeed({ requestId })
  if (requestId === undefined && address !== undefined && chainId !== undefined) {
    return Effect.succeed({ chainId: ChainId.make(Number(chainId)), address })
  }
  return Effect.fail(new BadRequest({ message: "ask with chainId and address, or with requestId alone" }))
}

/** The contract has no 401 here. An unknown key is refused in its place among the other checks. */
const whoAsks = callersKey.pipe(
  Effect.map((key): ReindexCaller => ({ _tag: "Known", keyId: key?.id })),
  Effect.catchTags({
    QuoteUnauthorized: ({ message }) => Effect.succeed<ReindexCaller>({ _tag: "Refused", status: 403, message }),
    StoreUnavailable: ({ message }) => Effect.succeed<ReindexCaller>({ _tag: "Refused", status: 503, message })
  })
)

export const layer = HttpApiBuilder.group(
  TransferApi,
  "depositAddresses",
  Effect.fn(function*(handlers) {
    const reindexing = yield* Reindexing

    const reindex = Effect.fn("http.reindex")(function*({ payload }: { readonly payload: ReindexRequest }) {
      const headers = payload.sweep === undefined ? {} : DEPRECATED
      return yield* reindexing.reindex(payload, yield* whoAsks).pipe(
        Effect.map((plan) => HttpServerResponse.jsonUnsafe(answerOf(plan), { headers })),
        Effect.catchTags({
          ReindexRefused: (refused) => refusal(refused),
          StoreUnavailable: ({ message }) => Effect.fail(new Unavailable({ message }))
        })
      )
    })

    const depositAddress = Effect.fn("http.depositAddress")(
      function*({ query }: { readonly query: DepositAddressQuery }) {
        const kept = yield* Effect.mapError(
          Effect.flatMap(asked(query), (by) => reindexing.find(by)),
          (failure) => failure._tag === "StoreUnavailable" ? new Unavailable({ message: failure.message }) : failure
        )
        return kept === undefined
          ? yield* new NoSuchAddress({ message: "no deposit address is registered by this" })
          : recordRow(kept)
      }
    )

    return handlers.handleAll({ reindex, depositAddress })
  })
).pipe(Layer.provide(inputErrors))
