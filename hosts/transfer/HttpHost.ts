/** The HTTP server of the transfer service: the API, its documentation, metrics, and an answer for every other path. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Effect, Layer, References } from "effect"
import type { Redacted } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { BlockList } from "node:net"
import { IdempotentAnswers } from "../../ports/store/clients/IdempotentAnswers.ts"
import { OwningKeys } from "../../src/services/clients/OwningKeys.ts"
import { SigningIn } from "../../src/services/clients/SigningIn.ts"
import { KnownKeys } from "../../src/services/clients/KnownKeys.ts"
import { Quoting } from "../../src/services/quoting/Quoting.ts"
import { TransferApi } from "./endpoints/TransferApi.ts"
import { makeDirectReads } from "./endpoints/DirectReads.ts"
import * as ErrorPages from "./endpoints/ErrorPages.ts"
import { makeCallerOf, withCaller } from "./middleware/Caller.ts"
import { Client } from "./middleware/Client.ts"
import { clientAddress, parseNetworks } from "./middleware/ClientAddress.ts"
import { withCors } from "./middleware/Cors.ts"
import { forgetOldAnswers, withIdempotency } from "./middleware/Idempotency.ts"
import * as Limits from "./middleware/Limits.ts"
import { withMessageOnly } from "./middleware/MessageOnly.ts"
import { endingDelayOf } from "../configuration/ShutdownDelay.ts"
import { Shutdown, layerShutdown, withShutdown } from "../http/Shutdown.ts"
import { listenOn } from "../http/Listening.ts"
import { eitherDirect } from "../http/ahead/DirectReads.ts"
import { withMethods } from "../http/Methods.ts"
import { withObservation } from "../http/RequestObservation.ts"
import { parseMetricsAddress } from "../configuration/MetricsAddress.ts"
import * as MetricsPage from "../observability/MetricsPage.ts"
import { makeRouteOf } from "../http/Routes.ts"
import type { RouteOf } from "../http/Routes.ts"
import { withOneSpelling } from "../http/Spelling.ts"
import { makeLimited, withRateLimit } from "./middleware/RateLimit.ts"
import type { RateLimits } from "./middleware/RateLimit.ts"
import { withJsonErrors } from "../http/JsonErrors.ts"
import * as LandingRoutes from "./endpoints/LandingRoutes.ts"
import * as LlmsText from "./endpoints/LlmsText.ts"
import { withHelpLink } from "../http/HelpLink.ts"
import * as OpenApiRoute from "./endpoints/OpenApiRoute.ts"
import { withRefusalPages } from "./page/RefusalPages.ts"
import { DashboardApi } from "./dashboard/DashboardApi.ts"
import * as DashboardRoutes from "./dashboard/DashboardRoutes.ts"
import * as DashboardFiles from "./dashboard/Files.ts"
import { withGateway, withGatewayRoute } from "./dashboard/Gateway.ts"
import * as AdminToken from "./middleware/AdminToken.ts"
import * as AppFeesRoutes from "./endpoints/app-fees/AppFeesRoutes.ts"
import * as BudgetsRoutes from "./endpoints/budgets/BudgetsRoutes.ts"
import * as ChainsRoutes from "./endpoints/chains/ChainsRoutes.ts"
import * as ConfigRoutes from "./endpoints/config/ConfigRoutes.ts"
import * as CurrenciesRoutes from "./endpoints/currencies/CurrenciesRoutes.ts"
import * as DepositAddressesRoutes from "./endpoints/deposit-addresses/DepositAddressesRoutes.ts"
import * as HealthRoutes from "./endpoints/health/HealthRoutes.ts"
import * as HistoryRoutes from "./endpoints/history/HistoryRoutes.ts"
import * as IndexRoutes from "./endpoints/indexing/IndexRoutes.ts"
import * as KeysRoutes from "./endpoints/keys/KeysRoutes.ts"
import * as OperationsRoutes from "./endpoints/operations/OperationsRoutes.ts"
import * as PausesRoutes from "./endpoints/pauses/PausesRoutes.ts"
import * as PayoutsRoutes from "./endpoints/payouts/PayoutsRoutes.ts"
import * as NonceMappingsRoutes from "./endpoints/nonce-mappings/NonceMappingsRoutes.ts"
import * as PermitsRoutes from "./endpoints/permits/PermitsRoutes.ts"
import { makeDirectQuotes } from "./endpoints/quote/DirectQuotes.ts"
import * as QuoteAnswers from "./endpoints/quote/QuoteAnswers.ts"
import * as QuoteRoutes from "./endpoints/quote/QuoteRoutes.ts"
import { makeDirectStreams } from "./endpoints/status/DirectStreams.ts"
import * as StatusAnswers from "./endpoints/status/StatusAnswers.ts"
import * as StatusRoutes from "./endpoints/status/StatusRoutes.ts"
import * as StatusStreams from "./endpoints/status/StatusStreams.ts"
import * as TimelineRoutes from "./endpoints/timeline/TimelineRoutes.ts"
import * as WalletsRoutes from "./endpoints/wallets/WalletsRoutes.ts"
import * as WebhooksRoutes from "./endpoints/webhooks/WebhooksRoutes.ts"

/** Larger bodies are refused before they are read completely. */
const maxBody = ByteSize.mebibytes(1)

/** Pages outside the API definition, all read with GET. */
const pages: ReadonlyArray<string> = [
  "/",
  "/search",
  "/openapi.json",
  "/llms.txt",
  "/documentation",
  "/documentation/errors/:code",
  "/metrics"
]

const dashboardRouteOf = makeRouteOf(DashboardApi, DashboardFiles.filePaths)

/** The routes of the API and these pages, and those of the dashboard. */
const routesWith = (pages: ReadonlyArray<string>): RouteOf => {
  const apiRouteOf = makeRouteOf(TransferApi, pages)
  return withGatewayRoute((path) => apiRouteOf(path) ?? dashboardRouteOf(path))
}

export const routeOf = routesWith(pages)

/** When metrics have their own address, this server has no route for them. */
const routeWithoutMetrics = routesWith(pages.filter((path) => path !== "/metrics"))

export interface HttpSettings {
  readonly environment: string
  readonly host: string
  readonly port: number
  readonly baseUrl?: string | undefined
  readonly testnetBaseUrl?: string | undefined
  readonly adminToken?: Redacted.Redacted | undefined
  readonly trustedProxies?: string | undefined
  readonly quotesPerMinute?: number | undefined
  readonly othersPerMinute?: number | undefined
  readonly keyQuotesPerSecond?: number | undefined
  readonly keyOthersPerMinute?: number | undefined
  /** Shares limits with other processes. Without it each process has its own. */
  readonly redisUrl?: Redacted.Redacted | undefined
  /** Seconds. */
  readonly endingDelay?: number | undefined
  readonly accessRatio: number
  /** The separate address for metrics. */
  readonly metricsAddress?: string | undefined
}

/** In the local environment there is a limit only when one is configured. */
const limitsOf = (
  { environment, keyOthersPerMinute, keyQuotesPerSecond, othersPerMinute, quotesPerMinute }: HttpSettings
): RateLimits => {
  if (environment === "local") return { quotesPerMinute, othersPerMinute, keyQuotesPerSecond, keyOthersPerMinute }
  return {
    quotesPerMinute: quotesPerMinute ?? 50,
    othersPerMinute: othersPerMinute ?? 200,
    keyQuotesPerSecond: keyQuotesPerSecond ?? 10,
    keyOthersPerMinute: keyOthersPerMinute ?? 600
  }
}

export const layer = (settings: HttpSettings) => {
  const { environment, host, port, testnetBaseUrl } = settings
  const baseUrl = settings.baseUrl ?? `http://${host}:${port}`
  const metricsAt = parseMetricsAddress(settings.metricsAddress ?? "")
  const routeHere = metricsAt === undefined ? routeOf : routeWithoutMetrics
  const addressOf = clientAddress(parseNetworks(settings.trustedProxies ?? "") ?? new BlockList())
  const api = HttpApiBuilder.layer(TransferApi).pipe(
    Layer.provide([
      QuoteRoutes.layer,
      PermitsRoutes.layer,
      NonceMappingsRoutes.layer,
      StatusRoutes.layer,
      IndexRoutes.layer,
      HistoryRoutes.layer,
      TimelineRoutes.layer,
      WebhooksRoutes.layer,
      ChainsRoutes.layer,
      CurrenciesRoutes.layer,
      ConfigRoutes.layer,
      DepositAddressesRoutes.layer,
      AppFeesRoutes.layer,
      PayoutsRoutes.layer,
      PausesRoutes.layer,
      KeysRoutes.layer,
      WalletsRoutes.layer,
      BudgetsRoutes.layer,
      OperationsRoutes.layer,
      HealthRoutes.layer
    ]),
    Layer.provide([AdminToken.layer(settings.adminToken), Layer.succeed(Client, { addressOf })])
  )
  const dashboard = HttpApiBuilder.layer(DashboardApi).pipe(
    Layer.provide(DashboardRoutes.layer(settings.adminToken)),
    Layer.provide(Layer.succeed(Client, { addressOf }))
  )
  const routes = Layer.mergeAll(
    api,
    dashboard,
    DashboardFiles.layer,
    OpenApiRoute.layer({ baseUrl, environment, testnetBaseUrl }),
    LlmsText.layer(baseUrl),
    LandingRoutes.layer,
    metricsAt === undefined ? MetricsPage.layerRoute : Layer.empty,
    ErrorPages.layer
  )
  const serve = Effect.gen(function*() {
    const { newRequestId } = yield* Quoting
    const answers = yield* IdempotentAnswers
    const keys = yield* KnownKeys
    const limiter = yield* Limits.Limits
    const ending = yield* Shutdown
    const [signingIn, owning] = [yield* SigningIn, yield* OwningKeys]
    const app = yield* HttpRouter.toHttpEffect(routes)
    const callerOf = makeCallerOf(keys, addressOf)
    const limited = makeLimited(limitsOf(settings), limiter)
    const ahead = { baseUrl, callerOf, limited, ending, accessRatio: settings.accessRatio }
    // Spans begin in the router's way.
    const direct = (yield* References.TracerEnabled)
      ? undefined
      : eitherDirect(
        eitherDirect(yield* makeDirectReads(ahead), yield* makeDirectQuotes(ahead)),
        yield* makeDirectStreams(ahead, addressOf)
      )
    yield* Effect.forkScoped(forgetOldAnswers(answers))
    return HttpServer.serve(app.pipe(
      withIdempotency(answers, newRequestId),
      withMethods(routeHere),
      withRateLimit(limited),
      withGateway({ signingIn, owning, routeOf: routeHere, ownHost: new URL(baseUrl).host }),
      withCaller(callerOf),
      (inner) => withJsonErrors(inner),
      withHelpLink(baseUrl),
      withMessageOnly,
      withRefusalPages(routeHere),
      withShutdown(ending, "/ready"),
      withCors,
      withObservation({ routeOf: routeHere, accessRatio: settings.accessRatio }),
      withOneSpelling(routeHere)
    )).pipe(listenOn({ port, host, endingDelay: endingDelayOf(settings.environment, settings.endingDelay), direct }))
  })
  // Listening comes last: a request that arrives before its handler exists would never be answered.
  return Layer.merge(Layer.unwrap(serve), metricsAt === undefined ? Layer.empty : MetricsPage.layerServer(metricsAt))
    .pipe(
      Layer.provide([Limits.layer(settings.redisUrl), StatusAnswers.layer, StatusStreams.layer, QuoteAnswers.layer]),
      Layer.provide(Layer.succeed(HttpServerRequest.MaxBodySize, maxBody)),
      Layer.provide(NodeHttpServer.layerHttpServices),
      Layer.provide(layerShutdown)
    )
}
