/** The transfer service's HTTP API as one definition, for the server, the documentation and clients. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AppFeesApi } from "./app-fees/AppFeesApi.ts"
import { BudgetsApi } from "./budgets/BudgetsApi.ts"
import { ChainsApi } from "./chains/ChainsApi.ts"
import { ConfigApi } from "./config/ConfigApi.ts"
import { CurrenciesApi } from "./currencies/CurrenciesApi.ts"
import { DepositAddressesApi } from "./deposit-addresses/DepositAddressesApi.ts"
import { HealthApi } from "./health/HealthApi.ts"
import { HistoryApi } from "./history/HistoryApi.ts"
import { IndexApi } from "./indexing/IndexApi.ts"
import { KeysApi } from "./keys/KeysApi.ts"
import { NonceMappingsApi } from "./nonce-mappings/NonceMappingsApi.ts"
import { OperationsApi } from "./operations/OperationsApi.ts"
import { PausesApi } from "./pauses/PausesApi.ts"
import { PayoutsApi } from "./payouts/PayoutsApi.ts"
import { PermitsApi } from "./permits/PermitsApi.ts"
import { QuoteApi } from "./quote/QuoteApi.ts"
import { StatusApi } from "./status/StatusApi.ts"
import { TimelineApi } from "./timeline/TimelineApi.ts"
import { WalletsApi } from "./wallets/WalletsApi.ts"
import { WebhooksApi } from "./webhooks/WebhooksApi.ts"

/** A request is told all of its faults at once. */
const everyFault = { errors: "all" } as const

/** All routes of the transfer service, with their bodies, answers and errors. The OpenAPI document is made from it. */
export const TransferApi = HttpApi.make("causeway-transfer")
  .add(QuoteApi)
  .add(PermitsApi)
  .add(NonceMappingsApi)
  .add(StatusApi)
  .add(IndexApi)
  .add(DepositAddressesApi)
  .add(HistoryApi)
  .add(TimelineApi)
  .add(WebhooksApi)
  .add(ChainsApi)
  .add(CurrenciesApi)
  .add(ConfigApi)
  .add(AppFeesApi)
  .add(PayoutsApi)
  .add(PausesApi)
  .add(KeysApi)
  .add(WalletsApi)
  .add(BudgetsApi)
  .add(OperationsApi)
  .add(HealthApi)
  .annotateMerge(OpenApi.annotations({
    title: "Causeway transfer service",
    version: "1.0.0",
    description: [
      "Executable quotes for moving value across chains, and the status of each request.",
      "Every body is JSON. A path that does not exist is a 404, a method that a path does not take a 405 with an Allow header, both with a body {message}."
    ].join(" ")
  }))
  .annotate(HttpApi.ParseOptions, everyFault)
