/**
 * The oracle's environment (CONFIG-8, CONFIG-4): every variable once, checked at start, with one message for all
 * problems. `docs/variables.md` is generated from this table.
 */
import { Effect, Redacted, Result, Schema } from "effect"
import { observedEndpoints } from "../../../adapters/quorum/Endpoints.ts"
import type { ObservedEndpoints } from "../../../adapters/quorum/Endpoints.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { isMajority } from "../../../src/domain/quorum/EndpointQuorum.ts"
import { endingDelay } from "../../configuration/ShutdownDelay.ts"
import { metricsAddress } from "../../configuration/MetricsAddress.ts"
import { loadChains } from "../../configuration/LoadChains.ts"
import type { ConfiguredChains } from "../../configuration/LoadChains.ts"
import { loadHubs } from "../../configuration/LoadHubs.ts"
import type { ConfiguredHub } from "../../configuration/LoadHubs.ts"
import { secretsFolder } from "../../configuration/Secrets.ts"
import { ConfigurationInvalid, Problem, read, readOptional, refuseProblems } from "../../configuration/Variables.ts"
import type { DeclaredVariable, Variable } from "../../configuration/Variables.ts"
import type { ChainFamily, Observing } from "../../../adapters/family/ChainFamily.ts"
import { Families } from "../../families.ts"
import { readSettings } from "../../routing/PerFamily.ts"
import type { PerFamily } from "../../routing/PerFamily.ts"
import { observabilityVariables, readObservability } from "../../observability/ObservabilityVariables.ts"
import { parseApiKeys } from "./ApiKeys.ts"
import { peerSettings, peerVariables } from "../peers/PeerVariables.ts"
import { accountOf, readSigner, signerVariables } from "./SignerEnvironment.ts"

const Port = Schema.NumberFromString.pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })))
)

const variable = <A>(declared: Variable<A>): Variable<A> => declared

const Switch = Schema.Literals(["true", "false"])

/** Every variable of the oracle that does not belong to a family: its name, meaning, schema and default. */
export const oracleVariables = {
  environment: variable({
    name: "ENVIRONMENT",
    meaning:
      "which configs/chains.<ENVIRONMENT>.json and configs/chains.hub.<ENVIRONMENT>.json are used: lower-case letters, digits, dots",
    schema: Schema.String.check(Schema.isPattern(/^[a-z0-9.]+$/))
  }),
  chains: variable({
    name: "CHAINS",
    meaning: "the chains to observe, ids separated by commas; all of the file when unset",
    schema: Schema.String
  }),
  ...signerVariables,
  apiKeys: variable({
    name: "API_KEYS",
    meaning: "<key>:<label> separated by semicolons; without it no key is asked for",
    schema: Schema.RedactedFromValue(Schema.String, { label: "api-keys", disallowEncode: true })
  }),
  httpPort: variable({ name: "HTTP_PORT", meaning: "the port, 1 to 65535; PORT when unset, then 3000", schema: Port }),
  port: variable({ name: "PORT", meaning: "the port when HTTP_PORT is unset", schema: Port, fallback: "3000" }),
  host: variable({
    name: "HTTP_HOST",
    meaning: "the address that is listened on",
    schema: Schema.NonEmptyString,
    fallback: "127.0.0.1"
  }),
  endingDelay,
  secretsFolder,
  metricsAddress,
  requireQuorum: variable({
    name: "REQUIRE_RPC_QUORUM",
    meaning: "true refuses to start when a chain or a hub has a single endpoint, or fewer than a majority may decide",
    schema: Switch,
    fallback: "false"
  }),
  shadow: variable({
    name: "SHADOW_MODE",
    meaning: "true: signs, and says in its answers that its signatures are not relied on",
    schema: Switch,
    fallback: "false"
  }),
  ...peerVariables,
  ...observabilityVariables({ service: "causeway-oracle", accessRatio: "0.1" })
} as const

/** All variables that an oracle of these families reads. */
export const oracleVariablesOf = (families: ReadonlyArray<ChainFamily>): ReadonlyArray<DeclaredVariable> => [
  ...Object.values(oracleVariables),
  ...families.flatMap(({ observe }) => observe.variables)
]

interface Observed {
  readonly chain: Chain
  readonly endpoints: ObservedEndpoints
}

interface ObservedHub {
  readonly hub: ConfiguredHub
  readonly endpoints: ObservedEndpoints
}

const fail = (message: string) => Result.fail(new Problem({ message }))

/** `what` names the chain or the hub whose endpoints these are. */
const quorumOf = (
  what: string,
  urls: ReadonlyArray<Redacted.Redacted>,
  needed: number | undefined,
  required: boolean
): Result.Result<ObservedEndpoints, Problem> => {
  const endpoints = observedEndpoints(urls, needed)
  if (Result.isFailure(endpoints)) return fail(`${what}: ${endpoints.failure.message}`)
  const { quorum } = endpoints.success
  return required && (quorum.hosts.length < 2 || !isMajority(quorum))
    ? fail(`${what}: a single endpoint, or fewer than a majority, could decide, which REQUIRE_RPC_QUORUM refuses`)
    : Result.succeed(endpoints.success)
}

const observe = (
  chain: Chain,
  { quorums, urls }: ConfiguredChains,
  required: boolean
): Result.Result<Observed, Problem> =>
  Result.map(
    quorumOf(`chain ${chain.slug}`, urls.get(chain.id) ?? [], quorums.get(chain.id), required),
    (endpoints) => ({ chain, endpoints })
  )

/** This host keeps no nonce mappings: without a service that does, some chains cannot be read. */
const mapped = (families: PerFamily<Observing>): Result.Result<PerFamily<Observing>, Problem> => {
  const [message] = [...families.values()].flatMap(({ needsMappings }) => needsMappings ?? [])
  return message === undefined ? Result.succeed(families) : fail(message)
}

const observeHub = (hub: ConfiguredHub, required: boolean): Result.Result<ObservedHub, Problem> =>
  Result.map(quorumOf(`hub ${hub.slug}`, hub.urls, hub.rpcQuorum, required), (endpoints) => ({ hub, endpoints }))

/** All values, or one problem that lists every problem. */
const allOf = <A>(all: ReadonlyArray<Result.Result<A, Problem>>): Result.Result<ReadonlyArray<A>, Problem> => {
  const problems = all.flatMap((one) => Result.isFailure(one) ? [one.failure.message] : [])
  return problems.length > 0 ? fail(problems.join("\n  - ")) : Result.all(all)
}

/** All chains, or one problem that lists every chain's problem. */
const observedOf = (configured: ConfiguredChains, required: boolean): Result.Result<ReadonlyArray<Observed>, Problem> =>
  configured.chains.length === 0
    ? fail("no chain is left to observe")
    : allOf(configured.chains.map((chain) => observe(chain, configured, required)))

/** The oracle's whole configuration, checked. Fails with `ConfigurationInvalid`. */
export const readOracleEnvironment = Effect.gen(function*() {
  const v = oracleVariables
  const values = yield* Effect.all({
    environment: read(v.environment),
    selected: readOptional(v.chains),
    signer: readSigner,
    apiKeys: readOptional(v.apiKeys),
    httpPort: readOptional(v.httpPort),
    port: read(v.port),
    host: read(v.host),
    endingDelay: readOptional(v.endingDelay),
    metricsAddress: readOptional(v.metricsAddress),
    requireQuorum: read(v.requireQuorum),
    shadow: read(v.shadow),
    peerTimeout: read(v.peerTimeout),
    ...readObservability(v),
    peers: readOptional(v.peers),
    signers: readOptional(v.signers),
    signersThreshold: readOptional(v.signersThreshold)
  }, { mode: "result" })
  const selected = Result.isSuccess(values.selected)
    ? values.selected.success?.split(",").map((id) => id.trim())
    : undefined
  const required = Result.isSuccess(values.requireQuorum) && values.requireQuorum.success === "true"
  const loaded = Result.isSuccess(values.environment)
    ? {
      chains: yield* Effect.result(loadChains(values.environment.success, selected)),
      hubs: yield* Effect.result(loadHubs(values.environment.success))
    }
    : { chains: Result.fail(values.environment.failure), hubs: Result.fail(values.environment.failure) }
  const observed = Result.flatMap(loaded.chains, (configured) => observedOf(configured, required))
  const settings = yield* Effect.result(
    readSettings(
      yield* Families,
      ({ observe }) => observe,
      Result.isSuccess(observed) ? observed.success.map(({ chain }) => chain) : []
    )
  )
  const families = Result.flatMap(settings, mapped)
  const observedHubs = Result.flatMap(loaded.hubs, (hubs) => allOf(hubs.map((hub) => observeHub(hub, required))))
  const keys = Result.flatMap(
    values.apiKeys,
    (text) => text === undefined ? Result.succeed(undefined) : parseApiKeys(Redacted.value(text))
  )
  const peering = peerSettings(values, {
    isLocal: Result.isSuccess(values.environment) && values.environment.success === "local",
    isShadow: Result.isSuccess(values.shadow) && values.shadow.success === "true",
    signer: Result.isSuccess(values.signer) ? accountOf(values.signer.success) : undefined
  })
  const all = { ...values, ...loaded, families, observed, observedHubs, keys, ...peering }
  yield* refuseProblems(Object.values(all))
  return yield* Effect.fromResult(Result.all(all)).pipe(
    Effect.mapError(({ message }) => new ConfigurationInvalid({ problems: [message] }))
  )
})

/** The result of `readOracleEnvironment`. */
export type OracleEnvironment = Effect.Success<typeof readOracleEnvironment>
