/**
 * The environment of the transfer service and its worker: every variable once, decoded and checked at start, with one
 * message for everything that is wrong. `docs/variables.md` is generated from this table.
 */
import { Effect, Redacted, Result, Schema, SchemaGetter } from "effect"
import { Hex32FromString, HexFromString } from "../../../src/domain/encoding/Hex.ts"
import type { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { makeSolverQuorum } from "../../../src/domain/quorum/EndpointQuorum.ts"
import type { EndpointQuorum } from "../../../src/domain/quorum/EndpointQuorum.ts"
import type { ChainFamily } from "../../../adapters/family/ChainFamily.ts"
import { isPrivate } from "../../../adapters/endpoints/PrivateUrl.ts"
import { observedEndpoints } from "../../../adapters/quorum/Endpoints.ts"
import type { ObservedEndpoints } from "../../../adapters/quorum/Endpoints.ts"
import type { OracleEndpoint } from "../../../adapters/oracles/HttpOracles.ts"
import { DatabaseUrl } from "../../../adapters/storage/engine/Database.ts"
import { endingDelay } from "../../configuration/ShutdownDelay.ts"
import { metricsAddress } from "../../configuration/MetricsAddress.ts"
import { secretsFolder } from "../../configuration/Secrets.ts"
import { loadMarket } from "../../configuration/LoadChains.ts"
import type { ConfiguredMarket } from "../../configuration/LoadChains.ts"
import { loadFollowedHubs, loadSettlingHub } from "../../configuration/LoadSettlingHub.ts"
import type { ConfiguredHub } from "../../configuration/LoadSettlingHub.ts"
import { parseOracleUrls } from "../../configuration/OracleUrls.ts"
import { ConfigurationInvalid, Problem, read, readOptional, refuseProblems } from "../../configuration/Variables.ts"
import type { DeclaredVariable, Variable } from "../../configuration/Variables.ts"
import { observabilityVariables, readObservability } from "../../observability/ObservabilityVariables.ts"
import { policyVariables } from "./PolicyVariables.ts"
import { furtherKeys, privateKey, refuseSameKeys, retiredKeys } from "./PayingKeys.ts"
import { familyVariables, readFamilies, refuseUnserved } from "./Families.ts"
import { Families } from "../../families.ts"
import { parseNetworks } from "../middleware/ClientAddress.ts"

const Port = Schema.NumberFromString.pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })))
)

const HttpUrl = Schema.String.check(
  Schema.makeFilter((text) => /^https?:\/\//.test(text) && URL.canParse(text))
)

/** URLs to which a key may be sent. */
const PrivateHttpUrl = Schema.String.check(
  Schema.makeFilter((text) => URL.canParse(text) && isPrivate(new URL(text)))
)

const RedisUrl = Schema.String.check(
  Schema.makeFilter((text) => /^rediss?:\/\//.test(text) && URL.canParse(text))
)

const HowMany = Schema.NumberFromString.pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })))
)

const Height = Schema.String.check(Schema.isPattern(/^[0-9]{1,18}$/)).pipe(Schema.decodeTo(Schema.BigIntFromString))

const Networks = Schema.String.check(Schema.makeFilter((text) => parseNetworks(text) !== undefined))

/** 256 to 512 bits, as SLIP-10 recommends. */
const depositSeed = Schema.RedactedFromValue(
  HexFromString.check(Schema.makeFilter((seed) => seed.length >= 66 && seed.length <= 130)),
  { label: "deposit-address-seed", disallowEncode: true }
)

/** The key that seals, then the keys that only open: 32 bytes each, without duplicates. */
const secretsKeys = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{64}(?:;0x[0-9a-fA-F]{64})*$/)).pipe(
  Schema.decodeTo(
    Schema.Array(Schema.RedactedFromValue(Hex32FromString, { label: "secrets-key", disallowEncode: true })).check(
      Schema.makeFilter((keys) => new Set(keys.map(Redacted.value)).size === keys.length)
    ),
    {
      decode: SchemaGetter.transform((text: string) => text.split(";")),
      encode: SchemaGetter.forbidden(() => "a key is never written")
    }
  )
)

const variable = <A>(declared: Variable<A>): Variable<A> => declared

/** Every variable of the service that belongs to no family: its name, meaning, schema and default. */
export const variables = {
  environment: variable({
    name: "ENVIRONMENT",
    meaning: "which configs/chains.<ENVIRONMENT>.json is used: lower-case letters, digits, dots",
    schema: Schema.String.check(Schema.isPattern(/^[a-z0-9.]+$/))
  }),
  chains: variable({
    name: "CHAINS",
    meaning: "the chains to serve, ids separated by commas; all of the file when unset",
    schema: Schema.String
  }),
  solverKey: variable({
    name: "SOLVER_PRIVATE_KEY",
    meaning: "the key that signs orders and pays on EVM chains: 0x and 64 hex digits",
    schema: privateKey("solver-key")
  }),
  furtherKeys,
  retiredKeys,
  operatorKey: variable({
    name: "DEPOSIT_ADDRESSES_PRIVATE_KEY",
    meaning:
      "the key that empties deposit addresses, an operator of their factory and not the solver's key: 0x and 64 hex digits; it submits permits too; the worker needs it where a chain has deposit addresses or takes permits",
    schema: privateKey("deposit-addresses-key")
  }),
  depositSeed: variable({
    name: "DEPOSIT_ADDRESS_SEED",
    meaning:
      "the seed of deposit addresses where they are derived keys (Solana, Bitcoin, Tron, exchange A), 0x and 64 to 128 hex digits, no key of anything else: only its holder can move money at these addresses, for ever; workers alone may have it, and need it where a chain has such addresses",
    schema: depositSeed
  }),
  databaseUrl: variable({
    name: "DATABASE_URL",
    meaning: "the store: sqlite:<path>, owned by one process, or a postgres:// URL, shared by many",
    schema: DatabaseUrl,
    fallback: "sqlite:.causeway/transfer.db"
  }),
  secretsKeys: variable({
    name: "SECRETS_KEY",
    meaning:
      "seals the secrets of webhooks in the store: 0x and 64 hex digits, no key of anything else, the same for every process of a store; <new>;<old> changes it. Unset, they are stored as they are; once set, the store and its backups cannot be used without it",
    schema: secretsKeys
  }),
  adminToken: variable({
    name: "ADMIN_TOKEN",
    meaning: "the token of the admin routes, at least 32 characters; without it they do not exist",
    schema: Schema.RedactedFromValue(Schema.String.check(Schema.isMinLength(32)), {
      label: "admin-token",
      disallowEncode: true
    })
  }),
  port: variable({
    name: "TRANSFER_PORT",
    meaning: "the port of the HTTP API, 1 to 65535",
    schema: Port,
    fallback: "3001"
  }),
  host: variable({
    name: "TRANSFER_HOST",
    meaning: "the address the HTTP API listens on",
    schema: Schema.NonEmptyString,
    fallback: "127.0.0.1"
  }),
  baseUrl: variable({
    name: "BASE_URL",
    meaning:
      "the public base address of this service, an http(s) URL: the server of the OpenAPI document; where it listens when unset",
    schema: HttpUrl
  }),
  testnetBaseUrl: variable({
    name: "TESTNET_BASE_URL",
    meaning:
      "the public base address of the testnet's service, an http(s) URL: the second server of the OpenAPI document",
    schema: HttpUrl
  }),
  trustedProxies: variable({
    name: "TRUSTED_PROXIES",
    meaning: "addresses and networks (10.0.0.0/8) of proxies whose X-Forwarded-For is believed, separated by commas",
    schema: Networks
  }),
  quotesPerMinute: variable({
    name: "RATE_LIMIT_QUOTE",
    meaning:
      "requests a minute to /quote and /price for a client address; 50 when unset, none in the local environment",
    schema: HowMany
  }),
  othersPerMinute: variable({
    name: "RATE_LIMIT_OTHER",
    meaning:
      "requests a minute to all other routes for a client address; 200 when unset, none in the local environment",
    schema: HowMany
  }),
  keyQuotesPerSecond: variable({
    name: "RATE_LIMIT_KEY_QUOTE",
    meaning:
      "requests a second to /quote, and as many to /requests, under an API key; 10 when unset, none in the local environment",
    schema: HowMany
  }),
  keyOthersPerMinute: variable({
    name: "RATE_LIMIT_KEY_OTHER",
    meaning: "requests a minute to all other routes under an API key; 600 when unset, none in the local environment",
    schema: HowMany
  }),
  redisUrl: variable({
    name: "REDIS_URL",
    meaning:
      "a redis:// or rediss:// URL: rate limits are shared by all processes that name it; each process has its own when unset, and while it does not answer",
    schema: Schema.RedactedFromValue(RedisUrl, { label: "redis-url", disallowEncode: true })
  }),
  serviceName: variable({
    name: "SERVICE_COMPONENT_NAME",
    meaning: "the wire name of the service's fee component: lower-case letters",
    schema: Schema.String.check(Schema.isPattern(/^[a-z]{1,30}$/)),
    fallback: "service"
  }),
  creditsFromBlock: variable({
    name: "CREDITS_FROM_BLOCK",
    meaning:
      "the block of the settlement chain after which a new store looks for credits of app balances; the newest final one when unset",
    schema: Height
  }),
  oracleUrl: variable({
    name: "ORACLE_URL",
    meaning:
      "the oracles that sign what the worker settles on the hub of configs/chains.hub.<ENVIRONMENT>.json, whose variables must be set then: https URLs (http on this machine alone) separated by commas, each with |<its API key> or not; nothing is settled when unset",
    schema: Schema.RedactedFromValue(Schema.String, { label: "oracle-url", disallowEncode: true })
  }),
  oracleApiKey: variable({
    name: "ORACLE_API_KEY",
    meaning: "the x-api-key for those oracles of ORACLE_URL that name none",
    schema: Schema.RedactedFromValue(Schema.String, { label: "oracle-api-key", disallowEncode: true })
  }),
  pythUrl: variable({
    name: "PYTH_HERMES_URL",
    meaning:
      "the base address of the interface of Pyth's Hermes, from which the feeds named pyth in the chains file are read; https, or http of this machine; needed where a currency names one",
    schema: Schema.RedactedFromValue(PrivateHttpUrl, { label: "pyth-hermes-url", disallowEncode: true })
  }),
  pythApiKey: variable({
    name: "PYTH_API_KEY",
    meaning: "sent to PYTH_HERMES_URL as authorization: Bearer; since August 2026 Pyth's own server wants one",
    schema: Schema.RedactedFromValue(Schema.NonEmptyString, { label: "pyth-api-key", disallowEncode: true })
  }),
  ...policyVariables,
  runnerHost: variable({
    name: "RUNNER_HOST",
    meaning: "with PostgreSQL: the address at which other workers reach this one",
    schema: Schema.NonEmptyString,
    fallback: "127.0.0.1"
  }),
  runnerPort: variable({
    name: "RUNNER_PORT",
    meaning: "with PostgreSQL: the port at which other workers reach this one, 1 to 65535",
    schema: Port,
    fallback: "34431"
  }),
  endingDelay,
  secretsFolder,
  metricsAddress,
  workerMetricsPort: variable({
    name: "WORKER_METRICS_PORT",
    meaning:
      "the port at which a separate worker process serves GET /metrics and GET /lives, on TRANSFER_HOST; it serves none when unset",
    schema: Port
  }),
  ...observabilityVariables({ service: "causeway-transfer", accessRatio: "1" }),
  failpoint: variable({
    name: "FAILPOINT",
    meaning:
      "local environment only: the name of the write or broadcast at which the process kills itself; ? lists them",
    schema: Schema.NonEmptyString
  })
} as const

/** The variables of a transfer service with these families. */
export const variablesOf = (families: ReadonlyArray<ChainFamily>): ReadonlyArray<DeclaredVariable> => [
  ...Object.values(variables),
  ...familyVariables(families)
]

/** `keys`: every other key of the process. */
const refuseSharedSeed = (
  seed: Redacted.Redacted<Hex> | undefined,
  keys: ReadonlyArray<Redacted.Redacted | undefined>
) =>
  seed !== undefined && keys.some((key) => key !== undefined && Redacted.value(key) === Redacted.value(seed))
    ? Result.fail(
      new Problem({
        message:
          `${variables.depositSeed.name} must be the seed of deposit addresses and nothing else: it is one of the service's keys`
      })
    )
    : Result.succeed(seed)

/** A reader of a backup who also has the sealing key must not have a key that pays. */
const refuseSharedSecrets = (
  keys: ReadonlyArray<Redacted.Redacted<Hex32>> | undefined,
  others: ReadonlyArray<Redacted.Redacted | undefined>
) => {
  const used = new Set(others.flatMap((other) => other === undefined ? [] : [Redacted.value(other)]))
  return keys?.some((key) => used.has(Redacted.value(key))) === true
    ? Result.fail(
      new Problem({
        message:
          `${variables.secretsKeys.name} must be the key of stored secrets and nothing else: it is one of the service's keys`
      })
    )
    : Result.succeed(keys)
}

/** There is no silent fallback to a public server (CONFIG-4). */
const refuseUnservedFeeds = (
  pythUrl: Result.Result<Redacted.Redacted | undefined, Problem>,
  configured: Result.Result<ConfiguredMarket, Problem>
) =>
  Result.isSuccess(configured) && configured.success.prices.pyth.size > 0 && Result.isSuccess(pythUrl) &&
    pythUrl.success === undefined
    ? Result.fail(
      new Problem({
        message:
          `${variables.pythUrl.name} is not set, and currencies of the chains file name feeds of pyth: ${variables.pythUrl.meaning}`
      })
    )
    : Result.void

/** The oracles that sign what is settled, the hub, and how the chains are read for it. */
interface Settling {
  readonly hub: ConfiguredHub
  readonly oracles: ReadonlyArray<OracleEndpoint>
}

interface Hubs {
  /** Undefined when nothing is settled. */
  readonly settling: Settling | undefined
  /** Hubs that get no new submissions, and on which earlier submissions are followed. */
  readonly followed: ReadonlyArray<ConfiguredHub>
}

/** The endpoints of each chain, and how many of them must agree. */
const observedOf = (
  { chains, quorums, urls }: ConfiguredMarket
): Result.Result<ReadonlyMap<ChainId, ObservedEndpoints>, Problem> =>
  Result.map(
    Result.all(chains.map(({ id, slug }) =>
      observedEndpoints(urls.get(id) ?? [], quorums.get(id)).pipe(
        Result.map((endpoints) => [id, endpoints] as const),
        Result.mapError(({ message }) => new Problem({ message: `chain ${slug}: ${message}` }))
      )
    )),
    (observed) => new Map(observed)
  )

const readHubs = Effect.fnUntraced(function*(
  { environment, oracleApiKey, oracleUrl }: {
    readonly environment: Result.Result<string, Problem>
    readonly oracleUrl: Result.Result<Redacted.Redacted | undefined, Problem>
    readonly oracleApiKey: Result.Result<Redacted.Redacted | undefined, Problem>
  },
  configured: Result.Result<ConfiguredMarket, Problem>
) {
  const url = yield* Effect.fromResult(oracleUrl)
  const market = yield* Effect.fromResult(configured)
  const name = yield* Effect.fromResult(environment)
  if (url === undefined) {
    return { settling: undefined, followed: yield* loadFollowedHubs(name, market.chains) } satisfies Hubs
  }
  const { followed, hub } = yield* loadSettlingHub(name, market.chains)
  const oracles = yield* Effect.fromResult(parseOracleUrls(Redacted.value(url), yield* Effect.fromResult(oracleApiKey)))
  return {
    settling: { hub, oracles },
    followed
  } satisfies Hubs
})

/** All checked settings of the hosts. Fails with `ConfigurationInvalid`. */
export const readEnvironment = Effect.gen(function*() {
  const values = yield* Effect.all({
    environment: read(variables.environment),
    chains: readOptional(variables.chains),
    solverKey: read(variables.solverKey),
    furtherKeys: Effect.map(readOptional(variables.furtherKeys), (keys) => keys ?? []),
    retiredKeys: Effect.map(readOptional(variables.retiredKeys), (keys) => keys ?? []),
    operatorKey: readOptional(variables.operatorKey),
    depositSeed: readOptional(variables.depositSeed),
    databaseUrl: read(variables.databaseUrl),
    secretsKeys: readOptional(variables.secretsKeys),
    adminToken: readOptional(variables.adminToken),
    port: read(variables.port),
    host: read(variables.host),
    baseUrl: readOptional(variables.baseUrl),
    testnetBaseUrl: readOptional(variables.testnetBaseUrl),
    trustedProxies: readOptional(variables.trustedProxies),
    quotesPerMinute: readOptional(variables.quotesPerMinute),
    othersPerMinute: readOptional(variables.othersPerMinute),
    keyQuotesPerSecond: readOptional(variables.keyQuotesPerSecond),
    keyOthersPerMinute: readOptional(variables.keyOthersPerMinute),
    redisUrl: readOptional(variables.redisUrl),
    serviceName: read(variables.serviceName),
    creditsFromBlock: readOptional(variables.creditsFromBlock),
    oracleUrl: readOptional(variables.oracleUrl),
    oracleApiKey: readOptional(variables.oracleApiKey),
    pythUrl: readOptional(variables.pythUrl),
    pythApiKey: readOptional(variables.pythApiKey),
    spreads: read(variables.spreads),
    fixedRateMaxBps: read(variables.fixedRateMaxBps),
    maxAppFeeBps: read(variables.maxAppFeeBps),
    maxTopupUsd: read(variables.maxTopupUsd),
    maxCalls: read(variables.maxCalls),
    exposureUsd: read(variables.exposureUsd),
    exposureUserUsd: read(variables.exposureUserUsd),
    quorumFromUsd: read(variables.quorumFromUsd),
    endpointLeftOutMinutes: read(variables.endpointLeftOutMinutes),
    unattestedRefundsUsd: read(variables.unattestedRefundsUsd),
    droppedAddressRefundsUsd: read(variables.droppedAddressRefundsUsd),
    revertedPermitsUsd: read(variables.revertedPermitsUsd),
    revertedCallsUsd: read(variables.revertedCallsUsd),
    calldataMib: read(variables.calldataMib),
    calldataKeyMib: read(variables.calldataKeyMib),
    externalLiquiditySeconds: read(variables.externalLiquiditySeconds),
    factsMaxAge: read(variables.factsMaxAge),
    maxFeeFactor: read(variables.maxFeeFactor),
    runnerHost: read(variables.runnerHost),
    runnerPort: read(variables.runnerPort),
    endingDelay: readOptional(variables.endingDelay),
    metricsAddress: readOptional(variables.metricsAddress),
    workerMetricsPort: readOptional(variables.workerMetricsPort),
    ...readObservability(variables),
    failpoint: readOptional(variables.failpoint)
  }, { mode: "result" })
  const selected = Result.isSuccess(values.chains)
    ? values.chains.success?.split(",").map((id) => id.trim())
    : undefined
  const served = yield* Families
  const configured = Result.isSuccess(values.environment)
    ? Result.flatMap(
      yield* Effect.result(loadMarket(values.environment.success, selected)),
      (market) => refuseUnserved(served, market)
    )
    : Result.fail(values.environment.failure)
  const families = yield* Effect.result(readFamilies(served, configured))
  const hubs = yield* Effect.result(readHubs(values, configured))
  const known = <A>(value: Result.Result<A, Problem>): A | undefined =>
    Result.isSuccess(value) ? value.success : undefined
  const familyKeys = [...known(families)?.transferring.values() ?? []].flatMap(({ keys }) => keys)
  const paying = [values.solverKey, values.operatorKey].flatMap((key) => known(key) ?? [])
    .concat(known(values.furtherKeys) ?? [], known(values.retiredKeys) ?? [])
  const distinct = refuseSameKeys([
    { name: variables.solverKey.name, keys: [known(values.solverKey) ?? []].flat() },
    { name: variables.operatorKey.name, keys: [known(values.operatorKey) ?? []].flat() },
    { name: variables.furtherKeys.name, keys: known(values.furtherKeys) ?? [] },
    { name: variables.retiredKeys.name, keys: known(values.retiredKeys) ?? [] }
  ])
  const depositSeed = Result.flatMap(values.depositSeed, (seed) => refuseSharedSeed(seed, [...paying, ...familyKeys]))
  const secretsKeys = Result.flatMap(
    values.secretsKeys,
    (keys) => refuseSharedSecrets(keys, [...paying, known(values.depositSeed)])
  )
  const observed = Result.flatMap(configured, observedOf)
  const feedsServed = refuseUnservedFeeds(values.pythUrl, configured)
  const all = { ...values, distinct, feedsServed, secretsKeys, families, depositSeed, configured, observed, hubs }
  yield* refuseProblems(Object.values(all))
  return yield* Effect.fromResult(Result.all(all)).pipe(
    Effect.map(({ hubs: known, ...others }) => ({ ...others, ...known })),
    Effect.mapError(({ message }) => new ConfigurationInvalid({ problems: [message] }))
  )
})

/** What the service's environment says, read, decoded and checked. */
export type Environment = Effect.Success<typeof readEnvironment>

/** How many endpoints of each chain must agree on what the solver cannot take back. */
export const solverQuorums = (
  { configured: { quorums }, observed }: Environment
): ReadonlyMap<ChainId, EndpointQuorum> =>
  new Map(
    [...observed].flatMap(([id, { quorum: { hosts } }]) => {
      const quorum = makeSolverQuorum(hosts, quorums.get(id))
      return Result.isSuccess(quorum) ? [[id, quorum.success] as const] : []
    })
  )

/** The additional checks of a worker: it sweeps the deposit addresses of its chains. */
export const checkWorker = (
  { configured, depositSeed, operatorKey }: Environment
): Effect.Effect<void, ConfigurationInvalid> => {
  const operated = configured.chains.find(({ depositAddresses, permits }) =>
    depositAddresses?.factory !== undefined || permits !== undefined
  )
  const derived = configured.chains.find(({ depositAddresses }) => depositAddresses?.keys !== undefined)
  const problems = [
    ...(operated === undefined || operatorKey !== undefined
      ? []
      : [
        `${variables.operatorKey.name} is missing: ${operated.slug} has deposit addresses or takes permits. It is ${variables.operatorKey.meaning}`
      ]),
    ...(derived === undefined || depositSeed !== undefined
      ? []
      : [
        `${variables.depositSeed.name} is missing: ${derived.slug} has deposit addresses that are derived keys. It is ${variables.depositSeed.meaning}`
      ])
  ]
  return problems.length === 0 ? Effect.void : Effect.fail(new ConfigurationInvalid({ problems }))
}

/** What a process that only serves HTTP must not have: it is the one that strangers can reach (ADDRESS-3). */
export const checkHttp = ({ depositSeed }: Environment): Effect.Effect<void, ConfigurationInvalid> =>
  depositSeed === undefined
    ? Effect.void
    : Effect.fail(
      new ConfigurationInvalid({
        problems: [`${variables.depositSeed.name} is set in a process that only answers HTTP: leave it to the workers`]
      })
    )
