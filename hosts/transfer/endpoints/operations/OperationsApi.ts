/** Overview, accounts and retries for operators: definition only. These routes exist only with ADMIN_TOKEN. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MOST_ACCOUNTED_DAYS } from "../../../../src/domain/ledger/accounting/AccountedDays.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { Status } from "../../../../src/domain/transfer/Status.ts"
import { bodyErrors, Defect, idempotencyHeader, readErrors } from "../CommonErrors.ts"
import { Admin, NotFound } from "../pauses/PausesApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

const Units = Schema.String.annotate({ description: "smallest unit of the currency" })
const Dollars = Schema.String.annotate({ description: "US dollars, six decimals" })

const InventoryRow = Schema.Struct({
  chainId: Schema.Int,
  chain: Schema.String,
  symbol: Schema.String,
  currency: Schema.String,
  holding: Schema.Literals(["account", "vault"]),
  amount: Schema.NullOr(Units.annotate({ description: "smallest unit; null while the chain does not answer" })),
  promised: Units,
  lowWater: Schema.NullOr(
    Units.annotate({ description: "below it operators are told; null where nothing is watched" })
  ),
  low: Schema.Boolean
})

const StuckRow = Schema.Struct({
  requestId: Schema.String,
  status: Status,
  since: Schema.String.annotate({ description: "ISO 8601" }),
  originChainId: Schema.Int,
  destinationChainId: Schema.Int,
  why: Schema.String
})

const RefundHeldRow = Schema.Struct({
  requestId: Schema.String,
  deposit: Schema.String.annotate({ description: "its on-chain id, which `inSpiteOfCap` of a retry names" }),
  chainId: Schema.Int,
  inTxHash: Schema.String,
  depositor: Schema.String,
  currency: Schema.String,
  amount: Units,
  usd: Dollars.annotate({ description: "what the refund would lose, US dollars, six decimals" }),
  since: Schema.String.annotate({ description: "ISO 8601" })
})

const RefundDecisionRow = Schema.Struct({
  requestId: Schema.String,
  deposit: Schema.String,
  by: Schema.String,
  at: Schema.String.annotate({ description: "ISO 8601" })
})

export const RetryRequest = Schema.Struct({
  inSpiteOfCap: Schema.optionalKey(Schema.Struct({
    deposit: Hex32.annotate({
      description: "the on-chain id of the deposit: `deposit` of `refundsHeld` in GET /admin/overview"
    }),
    by: Schema.NonEmptyString.check(Schema.isMaxLength(200)).annotate({
      description: "who decided, for other operators; kept for ever"
    })
  })).annotate({
    description: "refunds this one deposit regardless of UNATTESTED_REFUNDS_USD; it takes no room from others"
  })
}).annotate({ identifier: "RetryRequest" })
export type RetryRequest = typeof RetryRequest.Type

export const OverviewRow = Schema.Struct({
  inventory: Schema.Array(InventoryRow),
  exposure: Schema.Array(
    Schema.Struct({ chainId: Schema.Int, chain: Schema.String, deposits: Schema.Int, usd: Dollars })
  ),
  stuck: Schema.Array(StuckRow.annotate({ description: "longer in its state than it may be" })),
  refundsHeld: Schema.Array(
    RefundHeldRow.annotate({ description: "held back by UNATTESTED_REFUNDS_USD, the longest first; at most 1000" })
  ),
  refundsDecided: Schema.Array(
    RefundDecisionRow.annotate({
      description: "refunded in spite of it, as an operator decided, the newest first; at most 100"
    })
  ),
  unended: Schema.Int.annotate({ description: "requests that have a deposit and no end; counted up to 1000" }),
  held: Schema.Array(
    Schema.String.annotate({
      description: "a chain on which nothing is paid until it is known what was paid since the backup that was restored"
    })
  )
}).annotate({ identifier: "Overview" })

const SumRow = Schema.Struct({
  units: Units,
  usd: Dollars,
  unpriced: Schema.Int.annotate({ description: "how many amounts have no price" })
})

const LineRow = Schema.Struct({
  chainId: Schema.Int,
  currency: Schema.String,
  received: SumRow,
  paidOut: SumRow,
  gas: SumRow,
  appFees: SumRow,
  sponsorRevenue: SumRow
}).annotate({ identifier: "CurrencyProfitAndLoss" })

export const AccountsRow = Schema.Struct({
  days: Schema.Array(Schema.Struct({ day: Schema.String, profitUsd: Dollars, lines: Schema.Array(LineRow) })),
  total: Schema.Struct({ profitUsd: Dollars, lines: Schema.Array(LineRow) })
}).annotate({ identifier: "ProfitAndLoss" })

const Day = Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/, { expected: "a day such as 2026-11-21" }))

export const OperationsApi = HttpApiGroup.make("operations").add(
  HttpApiEndpoint.get("overview", "/admin/overview", {
    success: OverviewRow,
    error: [BadRequest, Unavailable, ...readErrors]
  })
    .annotateMerge(
      OpenApi.annotations({ identifier: "getOverview", summary: "Inventory, exposure, and what is stuck and why" })
    ),
  HttpApiEndpoint.get("profitAndLoss", "/admin/profit-and-loss", {
    query: {
      from: Day.annotate({ description: "the first UTC day: 2026-11-01" }),
      to: Day.annotate({ description: `the last UTC day, included; at most ${MOST_ACCOUNTED_DAYS} days in all` })
    },
    success: AccountsRow,
    error: [BadRequest, Unavailable, ...readErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "getProfitAndLoss",
    summary: "What came in, what was paid out and what that cost, by UTC day, chain and currency",
    description:
      "Dollars are what an amount was worth when its deposit was paid. A deposit counts on the day it was seen, a payment on the day it was signed, fees on the day they were booked."
  })),
  HttpApiEndpoint.post("retry", "/admin/requests/:id/retry", {
    params: { id: RequestId.annotate({ description: "id of the request" }) },
    headers: idempotencyHeader,
    // A call without a body is valid.
    payload: [RetryRequest, Schema.Null],
    success: Schema.Struct({
      deposits: Schema.Int.annotate({
        description: "open deposits that are retried within seconds; 0 when nothing is open"
      }),
      settlements: Schema.Int.annotate({
        description: "refused settlements that are retried; 0 when there are none"
      }),
      inSpiteOfCap: Schema.optionalKey(
        RefundDecisionRow.annotate({ description: "the decision as it is kept: of several on one deposit the first" })
      )
    }),
    error: [NotFound, BadRequest, Unavailable, Defect, ...bodyErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "retryRequest",
    summary: "Retry the filling of a request's open deposits, and its refused settlements",
    description:
      "Safe at any time and any number of times: nothing is paid twice. With `inSpiteOfCap` one deposit that UNATTESTED_REFUNDS_USD holds back is refunded anyway."
  }))
).middleware(InputErrors).middleware(Admin)
