/** Chooses the adapter of each port, for both hosts. The transfer service chooses adapters only here. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as HttpOracles from "../../../adapters/oracles/HttpOracles.ts"
import { feedPrices } from "../../../adapters/prices/FeedPrices.ts"
import { fixedPrices } from "../../../adapters/prices/FixedPrices.ts"
import { pythPrices } from "../../../adapters/prices/PythPrices.ts"
import * as AesGcmSealing from "../../../adapters/sealing/AesGcmSealing.ts"
import * as LocalSignatures from "../../../adapters/signing/LocalSignatures.ts"
import * as SolverOrderSigner from "../../../adapters/signing/SolverOrderSigner.ts"
import * as SqlApiKeys from "../../../adapters/storage/clients/ApiKeys.ts"
import * as SqlAppBalances from "../../../adapters/storage/ledger/AppBalances.ts"
import * as SqlCredits from "../../../adapters/storage/ledger/Credits.ts"
import * as SqlBudgets from "../../../adapters/storage/ledger/Budgets.ts"
import * as SqlCalldataAllowances from "../../../adapters/storage/orders/CalldataAllowances.ts"
import * as SqlCallLosses from "../../../adapters/storage/ledger/CallLosses.ts"
import * as SqlBookings from "../../../adapters/storage/ledger/Bookings.ts"
import * as SqlDepositAddresses from "../../../adapters/storage/orders/DepositAddresses.ts"
import * as SqlDepositKeys from "../../../adapters/storage/orders/DepositKeys.ts"
import * as SqlDeposits from "../../../adapters/storage/orders/Deposits.ts"
import * as SqlExposures from "../../../adapters/storage/orders/Exposures.ts"
import * as SqlFinalBlocks from "../../../adapters/storage/operations/FinalBlocks.ts"
import * as SqlFinishedWork from "../../../adapters/storage/operations/FinishedWork.ts"
import * as SqlIdempotentAnswers from "../../../adapters/storage/clients/IdempotentAnswers.ts"
import * as SqlLedger from "../../../adapters/storage/ledger/Ledger.ts"
import * as SqlLosses from "../../../adapters/storage/ledger/Losses.ts"
import * as SqlPauses from "../../../adapters/storage/operations/Pauses.ts"
import * as SqlPayouts from "../../../adapters/storage/ledger/Payouts.ts"
import * as SqlPayments from "../../../adapters/storage/orders/Payments.ts"
import * as SqlPermitSubmissions from "../../../adapters/storage/orders/PermitSubmissions.ts"
import * as SqlInventoryReservations from "../../../adapters/storage/orders/InventoryReservations.ts"
import * as SqlRequestListings from "../../../adapters/storage/clients/RequestListings.ts"
import * as SqlRecords from "../../../adapters/storage/operations/Records.ts"
import * as SqlRestorations from "../../../adapters/storage/operations/Restorations.ts"
import * as SqlStoreNotices from "../../../adapters/storage/operations/StoreNotices.ts"
import * as SqlDirectPayments from "../../../adapters/storage/orders/DirectPayments.ts"
import * as SqlSettlements from "../../../adapters/storage/orders/Settlements.ts"
import * as SqlSponsorHolds from "../../../adapters/storage/ledger/SponsorHolds.ts"
import * as SqlSweeps from "../../../adapters/storage/orders/Sweeps.ts"
import * as SqlTransferHistory from "../../../adapters/storage/orders/TransferHistory.ts"
import type { FamilyStores } from "../../../adapters/family/ChainFamily.ts"
import * as SqlNonceMappings from "../../../adapters/storage/clients/NonceMappings.ts"
import * as SqlSponsoredRequests from "../../../adapters/storage/ledger/SponsoredRequests.ts"
import * as SqlSessions from "../../../adapters/storage/clients/Sessions.ts"
import * as SqlWalletChallenges from "../../../adapters/storage/clients/WalletChallenges.ts"
import * as SqlTransfers from "../../../adapters/storage/orders/Transfers.ts"
import * as SqlUnattestedRefunds from "../../../adapters/storage/ledger/UnattestedRefunds.ts"
import * as SqlUnpaidAddresses from "../../../adapters/storage/operations/UnpaidAddresses.ts"
import * as SqlUnpaidQuotes from "../../../adapters/storage/operations/UnpaidQuotes.ts"
import * as SqlWebhookDeliveries from "../../../adapters/storage/clients/WebhookDeliveries.ts"
import * as SqlWebhooks from "../../../adapters/storage/clients/Webhooks.ts"
import { layerSealed } from "../../../adapters/storage/clients/StoredSecrets.ts"
import { layerDatabase } from "../../../adapters/storage/engine/Database.ts"
import type { Engine } from "../../../adapters/storage/engine/Database.ts"
import { layerMigrations } from "../../../adapters/storage/engine/Migrations.ts"
import type { Notices } from "../../../adapters/storage/engine/notices/Notices.ts"
import { migrations } from "../../../adapters/storage/migrations/index.ts"
import * as HttpsSender from "../../../adapters/webhooks/HttpsSender.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { SettlingHub } from "../../../ports/hub/SettlingHub.ts"
import { PriceFeeds } from "../../../ports/market/PriceFeeds.ts"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import { PriceSources } from "../../../ports/market/PriceSources.ts"
import type { WebhookReach } from "../../../src/domain/webhook/WebhookUrl.ts"
import * as AgreedPrices from "../../../src/services/quoting/market/AgreedPrices.ts"
import * as RecentGas from "../../../src/services/quoting/market/RecentGas.ts"
import * as RecentHoldings from "../../../src/services/quoting/market/RecentHoldings.ts"
import * as RecentSteps from "../../../src/services/quoting/market/RecentSteps.ts"
import { Policy } from "../../../src/services/operations/Policy.ts"
import { priceKey } from "../../configuration/entries/ConfiguredPrices.ts"
import type { LowWaterMarks } from "../../configuration/entries/LowWaterMarks.ts"
import { layerObservers } from "../../routing/Observers.ts"
import { layerTransfers } from "../../routing/Transfers.ts"
import { EndpointQuorums } from "./EndpointQuorums.ts"
import { solverQuorums } from "./Environment.ts"
import type { Environment } from "./Environment.ts"
import { policyOf } from "./PolicyVariables.ts"
import { Signing } from "./Signing.ts"

/** Opens the store's secrets. */
const sealing = ({ secretsKeys }: Environment) => AesGcmSealing.layer(secretsKeys ?? [])

/** The store, migrated and with its secrets sealed before anything uses it. */
const database = (environment: Environment) =>
  layerSealed.pipe(
    Layer.provide(sealing(environment)),
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provideMerge(layerDatabase(environment.databaseUrl))
  )

const repositories = Layer.mergeAll(
  SqlTransfers.layer,
  SqlTransferHistory.layer,
  SqlBookings.layer,
  SqlDeposits.layer,
  SqlDepositAddresses.layer,
  SqlDepositKeys.layer,
  SqlSweeps.layer,
  SqlPermitSubmissions.layer,
  SqlSettlements.layer,
  SqlPayments.layer,
  SqlInventoryReservations.layer,
  SqlDirectPayments.layer,
  SqlExposures.layer,
  SqlFinalBlocks.layer,
  SqlBudgets.layer,
  SqlCalldataAllowances.layer,
  SqlCallLosses.layer,
  Layer.provideMerge(SqlSponsorHolds.layer, SqlLedger.layer),
  SqlPauses.layer,
  SqlApiKeys.layer,
  SqlSessions.layer,
  SqlSponsoredRequests.layer,
  SqlWalletChallenges.layer,
  SqlNonceMappings.layer,
  SqlIdempotentAnswers.layer,
  SqlAppBalances.layer,
  SqlCredits.layer.pipe(Layer.provide(SqlLedger.layer)),
  SqlLosses.layer.pipe(Layer.provideMerge(SqlPayouts.layer), Layer.provide(SqlLedger.layer)),
  SqlRequestListings.layer,
  SqlWebhooks.layer,
  SqlWebhookDeliveries.layer,
  SqlRecords.layer,
  SqlRestorations.layer,
  SqlStoreNotices.layer,
  SqlUnattestedRefunds.layer,
  SqlUnpaidAddresses.layer,
  SqlUnpaidQuotes.layer,
  SqlFinishedWork.layer
)

/** The hubs of this configuration, the current one last: for two hubs on one chain its endpoints are used. */
const hubsOf = ({ followed, settling }: Environment) => [...followed, ...(settling === undefined ? [] : [settling.hub])]

/** The endpoints of each chain. A hub on a served chain is reached through that chain's endpoints. */
const located = (environment: Environment) => {
  const { configured: { chains, quorums, urls } } = environment
  const hubs = hubsOf(environment).filter(({ chain }) => !urls.has(chain.id))
  return [
    ...hubs.map(({ chain, rpcQuorum, urls }) => ({ chain, endpoints: { urls, needed: rpcQuorum } })),
    ...chains.map((chain) => ({
      chain,
      endpoints: { urls: urls.get(chain.id) ?? [], needed: quorums.get(chain.id) }
    }))
  ]
}

/**
 * The ports of every chain, and the signer of orders. One layer value, so that everything that reads a chain shares its
 * clients.
 */
const chainPorts = (environment: Environment) => {
  const {
    depositSeed,
    endpointLeftOutMinutes,
    factsMaxAge,
    families,
    furtherKeys,
    operatorKey,
    retiredKeys,
    solverKey
  } = environment
  const signed = Effect.gen(function*() {
    const sign = yield* Signing
    const signers = yield* sign({
      solver: solverKey,
      further: furtherKeys,
      retired: retiredKeys,
      operator: operatorKey,
      deposits: depositSeed
    })
    return Layer.merge(
      SolverOrderSigner.layer(signers.solver),
      layerTransfers(located(environment), families.transferring, signers, {
        leftOutMs: endpointLeftOutMinutes * 60_000,
        factsMaxAgeMs: factsMaxAge
      })
    )
  })
  return Layer.provideMerge(
    Layer.mergeAll(
      RecentGas.layer(factsMaxAge),
      RecentSteps.layer(factsMaxAge),
      RecentHoldings.layer(factsMaxAge)
    ),
    Layer.unwrap(signed).pipe(Layer.provide(LocalSignatures.layer))
  )
}

/** Pyth's feeds, where the chains file names any. */
const pythSource = ({ configured: { prices: { pyth } }, pythApiKey, pythUrl }: Environment) =>
  pythUrl === undefined || pyth.size === 0
    ? Effect.succeed([])
    : Effect.map(
      pythPrices({ url: pythUrl, apiKey: pythApiKey }, pyth.values(), (currency) => pyth.get(priceKey(currency))),
      (source) => [source]
    )

/**
 * Outside of the local environment, a currency with only one price source has no price (PRICE-19). SECURITY: aggregators
 * come first. Of prices that agree the first one counts, so a server can withhold a price that an aggregator has, and
 * not set it.
 */
const prices = (environment: Environment) =>
  AgreedPrices.layer({
    required: environment.environment === "local" ? 1 : 2,
    maxAge: environment.factsMaxAge
  }).pipe(
    Layer.provide(
      Layer.effect(
        PriceSources,
        Effect.gen(function*() {
          const feeds = yield* PriceFeeds
          const { feeds: aggregators, fixed } = environment.configured.prices
          return PriceSources.of({
            all: [
              feedPrices(feeds, (currency) => aggregators.get(priceKey(currency))),
              ...yield* pythSource(environment),
              fixedPrices((currency) => fixed.get(priceKey(currency)))
            ]
          })
        })
      )
    )
  )

/** The hub, and the oracles that sign for it; nothing of either where nothing is settled. */
const settled = ({ configured, families, followed, observed, settling }: Environment) =>
  Layer.mergeAll(
    Layer.succeed(SettlingHub, { hub: settling?.hub, followed }),
    HttpOracles.layer(settling?.oracles ?? []),
    Layer.unwrap(Effect.map(NonceMappings, (mappings) =>
      layerObservers(
        configured.chains.flatMap((chain) => {
          const endpoints = settling === undefined ? undefined : observed.get(chain.id)
          return endpoints === undefined ? [] : [{ chain, endpoints }]
        }),
        families.observing,
        mappings
      )))
  )

/** The hub's gas has its own low-water mark, unless its chain is served and has one. */
const lowWaterOf = ({ configured, settling }: Environment): LowWaterMarks => (currency, holding) =>
  configured.lowWater(currency, holding) ??
    (holding === "account" && currency.isNative && currency.chainId === settling?.hub.chain.id
      ? settling.hub.lowWater
      : undefined)

/** Plain http and the loopback are allowed in the local environment only. */
export const webhookReach = ({ environment }: Environment): WebhookReach => environment === "local" ? "local" : "public"

/** The ports of a store that is already open. */
export const storedOver = <E>(
  environment: Environment,
  store: Layer.Layer<SqlClient.SqlClient | Engine | Notices, E>
) => repositories.pipe(Layer.provideMerge(sealing(environment)), Layer.provideMerge(store))

/** Every adapter, with the ports of this store. */
export const layerWith = <A, E>(environment: Environment, stored: Layer.Layer<A | FamilyStores, E>) => {
  const { configured } = environment
  const ports = chainPorts(environment).pipe(Layer.provide(stored))
  return Layer.mergeAll(
    Layer.succeed(Chains, { all: configured.chains }),
    Layer.succeed(SettlementChain, configured.settlement),
    Layer.succeed(EndpointQuorums, solverQuorums(environment)),
    settled(environment).pipe(Layer.provide(stored)),
    Layer.succeed(Policy, { ...policyOf(environment), lowWaterOf: lowWaterOf(environment) }),
    prices(environment).pipe(Layer.provide(ports)),
    ports,
    stored,
    LocalSignatures.layer,
    HttpsSender.layer({ reach: webhookReach(environment) }),
    NodeCrypto.layer
  )
}

/** Over a store that is already open. */
export const layerOver = <E>(
  environment: Environment,
  store: Layer.Layer<SqlClient.SqlClient | Engine | Notices, E>
) => layerWith(environment, storedOver(environment, store))

export const layer = (environment: Environment) => layerOver(environment, database(environment))
