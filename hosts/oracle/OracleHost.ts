/**
 * The attestation oracle as layers: stateless, configured by environment variables alone. Contains no rule: the
 * adapters read evidence, and the core decides what it proves.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Effect, Layer, References } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { countFromZero } from "../../adapters/quorum/Endpoints.ts"
import * as HttpPeers from "../../adapters/peers/HttpPeers.ts"
import * as CloudKmsAttestationSigner from "../../adapters/signing/CloudKmsAttestationSigner.ts"
import * as LocalAttestationSigner from "../../adapters/signing/LocalAttestationSigner.ts"
import * as LocalSignatures from "../../adapters/signing/LocalSignatures.ts"
import { Chains } from "../../ports/chain/Chains.ts"
import { Hubs } from "../../ports/hub/Hubs.ts"
import { SettlementHubs } from "../../ports/hub/SettlementHubs.ts"
import * as Attesting from "../../src/services/attesting/Attesting.ts"
import * as AttestingWithdrawals from "../../src/services/attesting/AttestingWithdrawals.ts"
import * as Cosigning from "../../src/services/attesting/Cosigning.ts"
import { endingDelayOf } from "../configuration/ShutdownDelay.ts"
import { parseMetricsAddress } from "../configuration/MetricsAddress.ts"
import { ConfigurationInvalid } from "../configuration/Variables.ts"
import { Shutdown, layerShutdown, withShutdown } from "../http/Shutdown.ts"
import { layerReader } from "../http/DocumentReader.ts"
import { withJsonErrors } from "../http/JsonErrors.ts"
import { listenOn } from "../http/Listening.ts"
import { withMethods } from "../http/Methods.ts"
import { requestName, withObservation } from "../http/RequestObservation.ts"
import { makeRouteOf, routesOf } from "../http/Routes.ts"
import { countFailuresFromZero } from "../http/HttpMeters.ts"
import * as MetricsPage from "../observability/MetricsPage.ts"
import { withOneSpelling } from "../http/Spelling.ts"
import * as Tracing from "../observability/Tracing.ts"
import { withApiKeys } from "./config/ApiKeys.ts"
import * as CheckedChains from "./config/CheckedChains.ts"
import { OracleApi } from "./endpoints/OracleApi.ts"
import { oracleDocument } from "./endpoints/document/OracleDocument.ts"
import { layerHubBalances } from "../routing/Hubs.ts"
import { layerObservers } from "../routing/Observers.ts"
import { readOracleEnvironment } from "./config/Environment.ts"
import type { OracleEnvironment } from "./config/Environment.ts"
import { PeerStanding, standingOf } from "./peers/PeerStanding.ts"
import { impossibleThreshold } from "./peers/PeerVariables.ts"
import * as Attestations from "./endpoints/attestations/AttestationsRoutes.ts"
import { makeDirectDeposits } from "./endpoints/attestations/DirectDeposits.ts"
import * as Service from "./endpoints/service/ServiceRoutes.ts"
import * as Withdrawals from "./endpoints/withdrawals/WithdrawalsRoutes.ts"
import { Shadow } from "./config/Shadow.ts"
import { accountOf } from "./config/SignerEnvironment.ts"
import type { Signer } from "./config/SignerEnvironment.ts"

/** Larger bodies are refused before they are read to the end. */
const maxBody = ByteSize.mebibytes(1)

/** Pages that are read with GET and are not part of the API definition. */
const pages = ["/", "/documentation", "/documentation/json", "/openapi.json", "/metrics"]

const routeOf = makeRouteOf(OracleApi, pages)

/** When metrics have an address of their own, this one does not serve them. */
const routeWithoutMetrics = makeRouteOf(OracleApi, pages.filter((path) => path !== "/metrics"))

const document = HttpServerResponse.jsonUnsafe(oracleDocument)

const introduction = `This is a Causeway attestation oracle.

It reads chains under a quorum of endpoints, and signs what they show: the deposits of a transaction, the fill or refund
of an order, the state of a withdrawal. A hub contract credits the solver by these signatures. It holds no money and
keeps no state. Transfers are quoted and paid by another service, the transfer service.

  /documentation   its API, for people
  /openapi.json    the same as an OpenAPI document
  /lives/v1        whether it runs; needs no key
  /chains/v1       the chains that it reads
  /ready/v1        its signer, and the state of every chain's quorum
`

/** Logs warnings for an operator at start. The same warnings appear in /ready/v1. */
const warn = ({ families, keys, observed, observedHubs }: OracleEnvironment) =>
  Effect.gen(function*() {
    for (const { chain, endpoints: { quorum } } of observed) {
      if (quorum.hosts.length < 2) {
        yield* Effect.logWarning(`${chain.slug} has a single endpoint, whose operator decides what is attested on it`)
      }
    }
    for (const { warnings } of families.values()) yield* Effect.forEach(warnings, (each) => Effect.logWarning(each))
    for (const { endpoints: { quorum }, hub } of observedHubs) {
      if (quorum.hosts.length < 2) {
        yield* Effect.logWarning(
          `${hub.slug} has a single endpoint, whose operator decides which withdrawals can be initiated`
        )
      }
      if (hub.allocator === undefined) {
        yield* Effect.logWarning(`${hub.slug} names no allocator: withdrawals get no execution`)
      }
    }
    if (keys === undefined) yield* Effect.logWarning("API_KEYS is not set: anyone can request attestations")
  })

/** Creates the counters that alert rules watch, at zero, before anything is counted. */
const countEverything = ({ keys = [], observed, observedHubs }: OracleEnvironment) =>
  Effect.gen(function*() {
    for (const { chain, endpoints } of observed) yield* countFromZero(chain.slug, endpoints.quorum.hosts)
    for (const { endpoints, hub } of observedHubs) yield* countFromZero(hub.slug, endpoints.quorum.hosts)
    yield* countFailuresFromZero(
      routesOf(OracleApi, []),
      [...new Set(keys.map(({ label }) => label))].filter((label) => label !== "")
    )
  })

const signerOf = (signer: Signer) =>
  signer._tag === "RawPrivateKey"
    ? LocalAttestationSigner.layer(signer.key)
    : CloudKmsAttestationSigner.layer(signer.key)

const adapters = (environment: OracleEnvironment) => {
  const { chains: configured, families, hubs, observed, observedHubs, signer } = environment
  const hubEndpoints = new Map(observedHubs.map(({ endpoints, hub }) => [hub.slug, endpoints]))
  return Layer.mergeAll(
    Layer.succeed(Chains, { all: configured.chains }),
    layerObservers(observed, families),
    layerHubBalances(hubEndpoints, families),
    signerOf(signer).pipe(Layer.provideMerge(LocalSignatures.layer)),
    Layer.succeed(Hubs, { domains: hubs.map(({ domain }) => domain) }),
    Layer.succeed(SettlementHubs, { all: hubs }),
    Layer.succeed(Shadow, { isShadow: environment.shadow === "true" })
  )
}

/** The peers, and this oracle's standing with them, which is logged at start and always shown in /ready/v1. */
const peers = ({ peering, signer }: OracleEnvironment) => {
  const standing = Layer.effect(
    PeerStanding,
    Effect.gen(function*() {
      for (const { key, name } of peering.entries) {
        if (key === "pass-through") {
          yield* Effect.logInfo(`peer ${name} receives the caller's key (pass-through)`)
        }
      }
      yield* Effect.forEach(standingOf(peering, accountOf(signer)).warnings, (warning) => Effect.logWarning(warning), {
        discard: true
      })
      return { standing: (signer) => standingOf(peering, signer) }
    })
  )
  const cosigning = Cosigning.layer(peering).pipe(
    Layer.catchTag(
      "ImpossibleQuorum",
      ({ available }) =>
        Layer.effect(
          Cosigning.Cosigning,
          Effect.fail(new ConfigurationInvalid({ problems: [impossibleThreshold(available)] }))
        )
    ),
    Layer.provide(HttpPeers.layer(peering.entries))
  )
  return Layer.merge(standing, cosigning)
}

const http = (
  { accessRatio, endingDelay, environment, host, httpPort, keys, metricsAddress, port }: OracleEnvironment
) => {
  const metricsAt = parseMetricsAddress(metricsAddress ?? "")
  const routeHere = metricsAt === undefined ? routeOf : routeWithoutMetrics
  const routes = Layer.mergeAll(
    HttpApiBuilder.layer(OracleApi).pipe(Layer.provide([Attestations.layer, Withdrawals.layer, Service.layer])),
    HttpRouter.add("GET", "/", HttpServerResponse.text(introduction, { contentType: "text/plain; charset=utf-8" })),
    HttpRouter.add("GET", "/documentation/json", document),
    HttpRouter.add("GET", "/openapi.json", document),
    layerReader(OracleApi, "/documentation", { document: oracleDocument }),
    metricsAt === undefined ? MetricsPage.layerRoute : Layer.empty
  )
  const observed = withObservation({ routeOf: routeHere, accessRatio })
  const serve = Effect.gen(function*() {
    const ending = yield* Shutdown
    const app = yield* HttpRouter.toHttpEffect(routes)
    // Spans begin in the router's way.
    const direct = (yield* References.TracerEnabled)
      ? undefined
      : yield* makeDirectDeposits({ keys, ending, accessRatio })
    return HttpServer.serve(
      withJsonErrors(app, "Something went wrong").pipe(
        withMethods(routeHere),
        withApiKeys(keys),
        withShutdown(ending, "/ready/v1"),
        observed,
        withOneSpelling(routeHere)
      )
    ).pipe(listenOn({ port: httpPort ?? port, host, endingDelay: endingDelayOf(environment, endingDelay), direct }))
  })
  // Listening starts last: a request that arrives before its handlers are ready would never be answered.
  const metrics = metricsAt === undefined
    ? Layer.empty
    : MetricsPage.layerServer(metricsAt, MetricsPage.layerRoute, withApiKeys(keys))
  return Layer.merge(Layer.unwrap(serve), metrics).pipe(
    Layer.provide(Layer.succeed(HttpServerRequest.MaxBodySize, maxBody)),
    Layer.provide([NodeHttpServer.layerHttpServices, layerShutdown])
  )
}

/** The oracle, configured from its environment. */
export const layerOracleHost = Layer.unwrap(Effect.gen(function*() {
  const environment = yield* readOracleEnvironment
  yield* warn(environment)
  yield* countEverything(environment)
  const provided = adapters(environment)
  return http(environment).pipe(
    Layer.provide([Attesting.layer, AttestingWithdrawals.layer, peers(environment)]),
    Layer.provide(provided),
    Layer.provide(CheckedChains.layer(environment)),
    Layer.provide(Tracing.layer(environment, requestName(routeOf)))
  )
}))
