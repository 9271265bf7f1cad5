/** The HTTP server of the transfer service: the API, its documentation, metrics, and an answer for every other path. */
import { NodeHttpServer } from "@effect/platform-node"
import { ByteSize, Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSwagger, OpenApi } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { createServer } from "node:http"
import { TransferApi } from "./api/TransferApi.ts"
import * as ErrorPages from "./ErrorPages.ts"
import { withJsonErrors } from "./JsonErrors.ts"
import * as ChainsRoutes from "./routes/ChainsRoutes.ts"
import * as HealthRoutes from "./routes/HealthRoutes.ts"
import * as QuoteRoutes from "./routes/QuoteRoutes.ts"
import * as StatusRoutes from "./routes/StatusRoutes.ts"

/** Bodies beyond this are refused before they are read to the end. */
const maxBody = ByteSize.mebibytes(1)

const notFound = HttpRouter.add(
  "*",
  "/*",
  HttpServerResponse.jsonUnsafe({ message: "there is nothing here; GET /documentation lists what is" }, { status: 404 })
)

const openApi = (baseUrl: string) => {
  const document = { ...OpenApi.fromApi(TransferApi), servers: [{ url: baseUrl }] }
  return HttpRouter.add("GET", "/openapi.json", HttpServerResponse.jsonUnsafe(document))
}

export const layer = ({ host, port, baseUrl = `http://${host}:${port}` }: { readonly baseUrl?: string | undefined; readonly host: string; readonly port: number }) => {
  const api = HttpApiBuilder.layer(TransferApi).pipe(
    Layer.provide([QuoteRoutes.layer, StatusRoutes.layer, ChainsRoutes.layer, HealthRoutes.layer])
  )
  const routes = Layer.mergeAll(
    api,
    openApi(baseUrl),
    HttpApiSwagger.layer(TransferApi, { path: "/documentation" }),
    PrometheusMetrics.layerHttp({ path: "/metrics", prefix: "causeway" }),
    ErrorPages.layer,
    notFound
  )
  return Layer.unwrap(Effect.map(HttpRouter.toHttpEffect(routes), (app) => HttpServer.serve(withJsonErrors(app)))).pipe(
    Layer.provide(Layer.succeed(HttpServerRequest.MaxBodySize, maxBody)),
    Layer.provide(NodeHttpServer.layer(createServer, { port, host }))
  )
}
