/** The budgets of API keys: definition only. Admin routes: they exist only with ADMIN_TOKEN. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BodyTooLarge, UnsupportedMediaType } from "../../../http/BodyErrors.ts"
import { readErrors } from "../CommonErrors.ts"
import { keyParams } from "../keys/KeysApi.ts"
import { Admin, NotFound } from "../pauses/PausesApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

/** Below 10^18, so that a store counts all sums exactly. */
const Micros = Schema.String.check(Schema.isPattern(/^[0-9]{1,18}$/u, { expected: "digits only: micro-USDC" }))
  .annotate({ description: "USDC with 6 decimals" })

const limit = (description: string) =>
  Schema.optionalKey(
    Schema.NullOr(Micros).annotate({ description: `${description}; null removes it, left out it stays` })
  )

export const BudgetRequest = Schema.Struct({
  total: limit("the most that the key may ever draw"),
  perDay: limit("the most a UTC day"),
  perRecipientPerDay: limit("the most a UTC day for one recipient"),
  laterPerAddressPerDay: Schema.optionalKey(
    Schema.NullOr(Micros).annotate({
      description:
        "the most a UTC day for all deposits of one open deposit address but the first that is as much as was quoted; nothing is sponsored of them without it; null removes it, left out it stays"
    })
  ),
  defaultCap: limit("the cap of a request that sends no maxSubsidizationAmount")
}).annotate({ identifier: "BudgetRequest" })
export type BudgetRequest = typeof BudgetRequest.Type

export const BudgetAnswer = Schema.Struct({
  total: Schema.NullOr(Micros),
  perDay: Schema.NullOr(Micros),
  perRecipientPerDay: Schema.NullOr(Micros),
  laterPerAddressPerDay: Schema.NullOr(Micros),
  defaultCap: Schema.NullOr(Micros),
  spent: Schema.Struct({ total: Schema.String, today: Schema.String }).annotate({
    description: "USDC with 6 decimals: what was drawn, and what is held for requests on their way"
  })
}).annotate({ identifier: "Budget" })

const parts = { params: keyParams, success: BudgetAnswer }

export const BudgetsApi = HttpApiGroup.make("budgets").add(
  HttpApiEndpoint.get("budget", "/api-keys/:id/budgets", {
    ...parts,
    error: [NotFound, BadRequest, Unavailable, ...readErrors]
  })
    .annotateMerge(
      OpenApi.annotations({
        identifier: "getBudget",
        summary: "What an API key may let its sponsor pay, and what it has spent"
      })
    ),
  HttpApiEndpoint.put("changeBudget", "/api-keys/:id/budgets", {
    ...parts,
    payload: BudgetRequest,
    error: [NotFound, BadRequest, Unavailable, BodyTooLarge, UnsupportedMediaType, ...readErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "putBudget",
    summary: "Limit what an API key may let its sponsor pay",
    description: "Counts for quotes and deposits from now on, in every process; what is held already stays held."
  }))
).middleware(InputErrors).middleware(Admin)
