/** The transfer service's HTTP API, as one definition: what the server serves, the documentation shows and clients are made from. */
import { HttpApi, OpenApi } from "effect/http-api"
import { ChainsApi } from "./ChainsApi.ts"
import { HealthApi } from "./HealthApi.ts"
import { HistoryApi } from "./HistoryApi.ts"
import { IndexApi } from "./IndexApi.ts"
import { OperationsApi } from "./OperationsApi.ts"
import { PausesApi } from "./PausesApi.ts"
import { QuoteApi } from "./QuoteApi.ts"
import { StatusApi } from "./StatusApi.ts"

export const TransferApi = HttpApi.make("causeway-transfer")
  .add(QuoteApi)
  .add(StatusApi)
  .add(IndexApi)
  .add(HistoryApi)
  .add(ChainsApi)
  .add(PausesApi)
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
