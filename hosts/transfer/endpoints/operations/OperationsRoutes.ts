/** GET /admin/overview, GET /admin/profit-and-loss, POST /admin/requests/{id}/retry. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import type { RefundDecision } from "../../../../ports/store/ledger/UnattestedRefunds.ts"
import { accountedDays } from "../../../../src/domain/ledger/accounting/AccountedDays.ts"
import type { AccountLine, Sum } from "../../../../src/domain/ledger/accounting/ProfitAndLoss.ts"
import { formatUsd, usdFromMicros } from "../../../../src/domain/money/Usd.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { Accounts } from "../../../../src/services/app-balance/Accounts.ts"
import { OperatorOverview } from "../../../../src/services/requests/OperatorOverview.ts"
import type { Overview } from "../../../../src/services/requests/OperatorOverview.ts"
import { Retrying } from "../../../../src/services/operations/Retrying.ts"
import type { RetryRequest } from "./OperationsApi.ts"
import { NotFound } from "../pauses/PausesApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

const unavailable = ({ message }: StoreUnavailable) => new Unavailable({ message })

const decisionRow = ({ at, by, onchainId, requestId }: RefundDecision) => ({
  requestId,
  deposit: onchainId,
  by,
  at: new Date(at).toISOString()
})

const overviewRow = ({ exposure, held, inventory, refundsDecided, refundsHeld, stuck, unended }: Overview) => ({
  inventory: inventory.map(({ amount, chain, currency, holding, low, lowWater, promised }) => ({
    chainId: chain.id,
    chain: chain.slug,
    symbol: currency.symbol,
    currency: currency.address,
    holding,
    amount: amount?.toString() ?? null,
    promised: promised.toString(),
    lowWater: lowWater?.toString() ?? null,
    low
  })),
  exposure: exposure.map(({ chain, deposits, usdMicros }) => ({
    chainId: chain.id,
    chain: chain.slug,
    deposits,
    usd: formatUsd(usdFromMicros(usdMicros))
  })),
  stuck: stuck.map(({ destinationChainId, id, originChainId, since, status, why }) => ({
    requestId: id,
    status,
    since: new Date(since).toISOString(),
    originChainId,
    destinationChainId,
    why
  })),
  refundsHeld: refundsHeld.map((
    { deposit: { amount, chainId, currency, depositor, onchainId, transactionId }, heldAt, requestId, usdMicros }
  ) => ({
    requestId,
    deposit: onchainId,
    chainId,
    inTxHash: transactionId,
    depositor,
    currency,
    amount: amount.toString(),
    usd: formatUsd(usdFromMicros(usdMicros)),
    since: new Date(heldAt).toISOString()
  })),
  refundsDecided: refundsDecided.map(decisionRow),
  unended,
  held: held.map(({ slug }) => slug)
})

const sumRow = ({ units, unpriced, usd }: Sum) => ({ units: units.toString(), usd: formatUsd(usd), unpriced })

const lineRow = ({ appFees, chainId, currency, gas, paidOut, received, sponsorRevenue }: AccountLine) => ({
  chainId,
  currency,
  received: sumRow(received),
  paidOut: sumRow(paidOut),
  gas: sumRow(gas),
  appFees: sumRow(appFees),
  sponsorRevenue: sumRow(sponsorRevenue)
})

export const layer = HttpApiBuilder.group(
  TransferApi,
  "operations",
  Effect.fn(function*(handlers) {
    const overviewing = yield* OperatorOverview
    const retrying = yield* Retrying
    const accounts = yield* Accounts

    const profitAndLoss = Effect.fn("http.profitAndLoss")(
      function*({ query }: { readonly query: { readonly from: string; readonly to: string } }) {
        const { from, until } = yield* Effect.mapError(
          Effect.fromResult(accountedDays(query)),
          ({ message }) => new BadRequest({ message })
        )
        const { days, total } = yield* Effect.mapError(accounts.between(from, until), unavailable)
        return {
          days: days.map(({ day, lines, profit }) => ({
            day,
            profitUsd: formatUsd(profit),
            lines: lines.map(lineRow)
          })),
          total: { profitUsd: formatUsd(total.profit), lines: total.lines.map(lineRow) }
        }
      }
    )

    const retry = Effect.fn("http.retry")(
      function*(
        { params, payload }: { readonly params: { readonly id: RequestId }; readonly payload: RetryRequest | null }
      ) {
        const begun = yield* retrying.retry(params.id, payload?.inSpiteOfCap).pipe(
          Effect.catchTags({
            NothingToDecide: ({ message }) => Effect.fail(new BadRequest({ message })),
            StoreUnavailable: (error) => Effect.fail(unavailable(error))
          })
        )
        if (begun === undefined) return yield* new NotFound({ message: "there is no request with this id" })
        const { decision, deposits, settlements } = begun
        return { deposits, settlements, ...(decision === undefined ? {} : { inSpiteOfCap: decisionRow(decision) }) }
      }
    )

    return handlers.handleAll({
      overview: () => Effect.mapBoth(overviewing.look, { onSuccess: overviewRow, onFailure: unavailable }),
      profitAndLoss,
      retry
    })
  })
).pipe(Layer.provide(inputErrors))
