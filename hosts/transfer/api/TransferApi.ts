/** The transfer service's HTTP API, as one definition: what the server serves, the documentation shows and clients are made from. */
import { HttpApi, OpenApi } from "effect/http-api"
import { ChainsApi } from "./ChainsApi.ts"
import { HealthApi } from "./HealthApi.ts"
import { QuoteApi } from "./QuoteApi.ts"
import { StatusApi } from "./StatusApi.ts"

export const TransferApi = HttpApi.make("causeway-transfer")
  .add(QuoteApi)
  .add(StatusApi)
  .add(ChainsApi)
  .add(HealthApi)
  .annotateMerge(OpenApi.annotations({
    title: "Causeway transfer service",
    version: "1.0.0",
    description: "Executable quotes for moving value across chains, and what became of them."
  }))
