/** The transfer service's HTTP API, as one definition: what the server serves, the documentation shows and clients are made from. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AppFeesApi } from "./AppFeesApi.ts"
import { BudgetsApi } from "./BudgetsApi.ts"
import { ChainsApi } from "./ChainsApi.ts"
import { DepositAddressesApi } from "./DepositAddressesApi.ts"
import { HealthApi } from "./HealthApi.ts"
import { HistoryApi } from "./HistoryApi.ts"
import { IndexApi } from "./IndexApi.ts"
import { KeysApi } from "./KeysApi.ts"
import { NonceMappingsApi } from "./NonceMappingsApi.ts"
import { OperationsApi } from "./OperationsApi.ts"
import { PausesApi } from "./PausesApi.ts"
import { PayoutsApi } from "./PayoutsApi.ts"
import { PermitsApi } from "./PermitsApi.ts"
import { QuoteApi } from "./QuoteApi.ts"
import { StatusApi } from "./StatusApi.ts"
import { StoryApi } from "./StoryApi.ts"
import { WalletsApi } from "./WalletsApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

export const TransferApi = HttpApi.make("causeway-transfer")
  .add(QuoteApi)
  .add(PermitsApi)
  .add(NonceMappingsApi)
  .add(StatusApi)
  .add(IndexApi)
  .add(DepositAddressesApi)
  .add(HistoryApi)
  .add(StoryApi)
  .add(WebhooksApi)
  .add(ChainsApi)
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
      "Executable quotes for moving value across chains, and what became of them.",
      "Every body is JSON. A path that does not exist is a 404, a method that a path does not take a 405 with an Allow header, both with a body {message}."
    ].join(" ")
  }))
