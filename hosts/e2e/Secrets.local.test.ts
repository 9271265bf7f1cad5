/**
 * The grep test: both hosts run as processes with a marked secret wherever a secret can be given, under traffic that
 * succeeds and fails in every way we know, and no form of a secret is in any response, log line, metric or trace.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as PostgresServer from "../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../scripts/testing/Capability.ts"
import { tally } from "../../scripts/testing/Tally.ts"
import { anyFree } from "../localnet/nodes/Port.ts"
import { startCollector } from "../observability/testing/Collector.ts"
import type { Collector } from "../observability/testing/Collector.ts"
import { makeLeakFinder, makeMarker } from "../observability/testing/Markers.ts"
import { changeBeside, hideTable } from "../transfer/testing/BesideStore.ts"
import { ended, execute, nativeRequest, quote, sendDeposit, status } from "../transfer/testing/Client.ts"
import { spawnHost, startHost, startOracle } from "../transfer/testing/HostProcess.ts"
import type { HostProcess } from "../transfer/testing/HostProcess.ts"
import { lyingNode } from "../transfer/testing/LyingNode.ts"
import type { Lie, LyingNode } from "../transfer/testing/LyingNode.ts"
import { eventually } from "../transfer/testing/Misbehaving.ts"
import { startChains } from "../transfer/testing/TestChains.ts"
import { environmentOf } from "../transfer/testing/TransferNetwork.ts"

const makeSecrets = (solverKey: string) => ({
  solverKey,
  furtherKey: generatePrivateKey(),
  otherFurtherKey: generatePrivateKey(),
  retiredKey: generatePrivateKey(),
  oracleKey: generatePrivateKey(),
  apiKey: makeMarker("api-key"),
  wrongApiKey: makeMarker("wrong-api-key"),
  adminToken: makeMarker("admin-token-of-at-least-32-characters"),
  wrongToken: makeMarker("wrong-token"),
  rpcUser: makeMarker("rpc-user"),
  rpcPassword: makeMarker("rpc-password"),
  rpcPath: makeMarker("rpc-path"),
  rpcQuery: makeMarker("rpc-query"),
  peerKey: makeMarker("peer-key"),
  peerPath: makeMarker("peer-path"),
  otlpPassword: makeMarker("otlp-password"),
  otlpPath: makeMarker("otlp-path"),
  otlpHeader: makeMarker("otlp-header"),
  clientQuery: makeMarker("client-query"),
  clientPath: makeMarker("client-path"),
  clientHeader: makeMarker("client-header")
})
type Secrets = ReturnType<typeof makeSecrets>

const markUrl = ({ rpcPassword, rpcPath, rpcQuery, rpcUser }: Secrets, url: string): string =>
  `${url.replace("://", `://${rpcUser}:${rpcPassword}@`)}/v2/${rpcPath}?key=${rpcQuery}`

/** What a provider puts into its errors. */
const tellingLie = ({ rpcPassword, rpcPath, rpcQuery, rpcUser }: Secrets): Lie => async () => ({
  error: {
    code: -32_005,
    message:
      `key ${rpcQuery} is over its limit: https://${rpcUser}:${rpcPassword}@node.example/v2/${rpcPath}?key=${rpcQuery}`,
    data: {
      url: `https://node.example/v2/${rpcPath}`,
      authorization: Buffer.from(`${rpcUser}:${rpcPassword}`).toString("base64")
    }
  }
})

/** Everything that came back from the hosts, headers and bodies. */
const makeRecorder = () => {
  const seen: Array<string> = []
  const statuses = new Set<string>()
  const ask = (url: string, init: RequestInit = {}) =>
    Effect.promise(async () => {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) })
      const text = await response.text()
      seen.push(`${init.method ?? "GET"} ${response.status} ${JSON.stringify([...response.headers])} ${text}`)
      statuses.add(`${response.status}`)
      return { status: response.status, text }
    })
  const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    ask(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
  return { ask, post, statuses, texts: () => seen.join("\n") }
}
type Recorder = ReturnType<typeof makeRecorder>

const traced = ({ otlpHeader, otlpPassword, otlpPath }: Secrets, { url }: Collector) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `${url.replace("://", `://collector:${otlpPassword}@`)}/${otlpPath}`,
  OTEL_EXPORTER_OTLP_HEADERS: `x-team-key=${otlpHeader}`,
  OTEL_TRACES_SAMPLER_ARG: "1",
  ACCESS_LOG_RATIO: "1"
})

/** Requests that are wrong in as many ways as there are checks, with secrets where a client may put them by mistake. */
const ask = Effect.fnUntraced(
  function*({ ask, post }: Recorder, secrets: Secrets, transfer: string, oracle: string, request: object) {
    const { adminToken, apiKey, clientHeader, clientPath, clientQuery, wrongApiKey, wrongToken } = secrets
    const careless = {
      cookie: `session=${clientHeader}`,
      referer: `https://app.example/?token=${clientHeader}`,
      "user-agent": clientHeader,
      "x-forwarded-for": clientHeader,
      b3: clientHeader,
      traceparent: clientHeader,
      "x-request-id": `<${clientHeader}>`
    }
    const withKey = { ...careless, "x-api-key": apiKey }
    for (const base of [transfer, oracle]) {
      for (
        const path of [
          "/lives",
          "/ready",
          "/lives/v1",
          "/ready/v1",
          "/chains",
          "/chains/v1",
          "/metrics",
          "/openapi.json",
          "/documentation/json",
          "/nowhere",
          `/${clientPath}`,
          `/quote/${clientPath}`,
          `/%zz${clientPath}`
        ]
      ) {
        for (const headers of [careless, withKey, { ...careless, "x-api-key": wrongApiKey }]) {
          yield* ask(`${base}${path}?api_key=${clientQuery}`, { headers })
        }
      }
      // Two megabytes, once.
      yield* ask(`${base}/documentation?key=${clientQuery}`, { headers: careless })
      yield* ask(`${base}/quote?key=${clientQuery}`, {
        method: "OPTIONS",
        headers: { origin: "https://app.example", "access-control-request-method": "POST" }
      })
    }
    for (
      const token of [
        `Bearer ${wrongToken}`,
        wrongToken,
        `Basic ${btoa(`admin:${wrongToken}`)}`,
        `Bearer ${adminToken}`
      ]
    ) {
      const headers = { authorization: token, "content-type": "application/json" }
      yield* ask(`${transfer}/admin/pauses`, { headers })
      yield* post(`${transfer}/admin/pauses`, { scope: { chain: clientPath } }, headers)
      yield* post(`${transfer}/admin/pauses`, `{"${clientPath}`, headers)
      yield* ask(`${transfer}/admin/pauses/${clientPath}`, { method: "DELETE", headers })
    }
    const bodies = [
      "{",
      "null",
      "[]",
      "\"x\"",
      `"${"a".repeat(1_200_000)}"`,
      {},
      request,
      { ...request, amount: "-1" },
      { ...request, amount: 1e80 },
      { ...request, user: "0x12" },
      { ...request, originChainId: 1 },
      { ...request, recipient: "nobody" },
      { ...request, appFees: [{ recipient: "x", fee: "1" }] }
    ]
    for (const body of bodies) {
      yield* post(`${transfer}/quote?key=${clientQuery}`, body, careless)
      yield* post(`${transfer}/quote/v2`, body, { ...careless, "idempotency-key": `${bodies.indexOf(body)}` })
      for (
        const path of ["depository-deposits", "solver-fills", "solver-refunds", "depository-withdrawals"]
      ) yield* post(`${oracle}/attestations/${path}/v1`, body, withKey)
    }
    yield* post(`${transfer}/quote`, request, { ...careless, "x-api-key": wrongApiKey })
    yield* post(`${transfer}/quote`, request, { ...careless, "content-type": "text/plain" })
    yield* post(`${transfer}/transactions/index`, { chainId: "1", txHash: "0x12" }, careless)
    yield* ask(`${transfer}/intents/status?requestId=${clientQuery}`, { headers: careless })
    yield* ask(`${transfer}/quote?key=${clientQuery}`, { method: "DELETE", headers: careless })
    yield* ask(`${transfer}/requests?user=${clientQuery}`, { headers: careless })
    yield* post(`${oracle}/attestations/depository-deposits/v1`, {
      chainId: "alpha",
      transactionId: `0x${"ab".repeat(32)}`
    }, { ...careless, "x-api-key": wrongApiKey })
    yield* post(`${oracle}/attestations/depository-deposits/v1`, {
      chainId: "alpha",
      transactionId: `0x${"ab".repeat(32)}`
    }, withKey)
  }
)

/** Endpoints that tell their keys, answer nonsense, answer 500 or nothing at all. */
const failings = (secrets: Secrets, nodes: ReadonlyArray<LyingNode>): ReadonlyArray<readonly [string, () => void]> => {
  const all = (lie: Lie) => () => {
    for (const node of nodes) node.lie(lie)
  }
  return [
    ["tell their keys", all(tellingLie(secrets))],
    ["answer nonsense", all(async () => ({ result: { url: markUrl(secrets, "https://node.example") } }))],
    [
      "answer 500",
      all(async () => {
        throw new Error("no")
      })
    ],
    [
      "answer for another chain",
      all(async (call, truth) => call.method === "eth_chainId" ? { result: "0x1" } : truth())
    ],
    [
      "tell their keys to estimates only",
      all(async (call, truth) =>
        /estimate|simulate|eth_call/.test(call.method) ? tellingLie(secrets)(call, truth) : truth()
      )
    ],
    [
      "refuse to broadcast",
      all(async (call, truth) => call.method === "eth_sendRawTransaction" ? tellingLie(secrets)(call, truth) : truth())
    ]
  ]
}

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-secrets-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const makeNetwork = Effect.gen(function*() {
  const chains = yield* startChains
  const secrets = makeSecrets(chains.solverKey)
  const alphaNode = yield* lyingNode(chains.alpha.url)
  const betaNode = yield* lyingNode(chains.beta.url)
  const collector = yield* startCollector
  const nodes = [alphaNode, betaNode]
  const endpoints = {
    // The second endpoint is not there: failing over happens all the time.
    ALPHA_RPC_URL: `${markUrl(secrets, alphaNode.url)},${markUrl(secrets, `http://127.0.0.1:${yield* anyFree}`)}`,
    BETA_RPC_URL: markUrl(secrets, betaNode.url)
  }
  const common = { ...traced(secrets, collector), ...endpoints }
  const environment = Effect.map(
    anyFree,
    (port) => ({
      ...environmentOf(chains, "unused", port),
      ...common,
      ADMIN_TOKEN: secrets.adminToken,
      SOLVER_FURTHER_PRIVATE_KEYS: `${secrets.furtherKey};${secrets.otherFurtherKey}`,
      SOLVER_RETIRED_PRIVATE_KEYS: secrets.retiredKey
    })
  )
  const key = chains.users[0] ?? "0x"
  const request = nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, 10n ** 17n)
  return { chains, collector, common, environment, key, nodes, request, secrets }
})

const tellTheTruth = (nodes: ReadonlyArray<LyingNode>) => {
  for (const node of nodes) node.tellTheTruth()
}

/** All that can be read of the hosts holds no secret; `more` are secrets of a test's own. */
const assertClean = (
  recorder: Recorder,
  secrets: Secrets,
  collector: Collector,
  hosts: Readonly<Record<string, HostProcess>>,
  more: Readonly<Record<string, string>> = {}
) => {
  const find = makeLeakFinder({ ...secrets, ...more })
  const leaks = [
    ...find("a response", recorder.texts()),
    ...find("a trace", collector.bodies()),
    ...Object.entries(hosts).flatMap(([name, host]) => find(`the log of ${name}`, host.output()))
  ]
  assert.deepStrictEqual(leaks, [])
}

const postgres = requirePostgres()

describe("secrets", () => {
  it.live("are in no response, log line, metric or trace of a service on SQLite and of an oracle", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, collector, common, environment, key, nodes, request, secrets } = yield* makeNetwork
      const store = join(yield* temporary, "transfer.db")
      const oraclePort = yield* anyFree
      const settings = {
        ...yield* environment,
        DATABASE_URL: `sqlite:${store}`,
        // No hub is there: what is to be settled waits, and says for what.
        HUB_RPC_URL: markUrl(secrets, "http://127.0.0.1:9"),
        ORACLE_URL: `http://127.0.0.1:${oraclePort}|${secrets.apiKey}`
      }
      const transfer = yield* startHost(settings)
      const oracle = yield* startOracle({
        ...common,
        ENVIRONMENT: "local",
        CHAINS: "alpha,beta",
        ALPHA_RPC_URL: markUrl(secrets, nodes[0]?.url ?? ""),
        HUB_RPC_URL: markUrl(secrets, "http://127.0.0.1:9"),
        ECDSA_PRIVATE_KEY: secrets.oracleKey,
        API_KEYS: `${secrets.apiKey}:somebody`,
        // One that knows nothing of attestations, one that is not there and gets the incoming key.
        PEERS: `${
          nodes[1]?.url ?? ""
        }/${secrets.peerPath}|${secrets.peerKey};http://127.0.0.1:${yield* anyFree}/${secrets.peerPath}|pass-through`,
        HTTP_PORT: `${oraclePort}`
      })
      const recorder = makeRecorder()

      // All goes well: a transfer, an attestation of its deposit.
      yield* ask(recorder, secrets, transfer.url, oracle.url, request)
      const quoted = yield* quote(transfer.url, request)
      const [deposit] = yield* execute(chains.alpha, key, quoted)
      assert.strictEqual((yield* ended(transfer.url, quoted)).status, "success", transfer.output())
      yield* Effect.all([chains.alpha.mine(3), chains.beta.mine(3)])
      const attested = yield* recorder.post(`${oracle.url}/attestations/depository-deposits/v1`, {
        chainId: "alpha",
        transactionId: deposit?.transactionHash,
        requestPeerSignatures: true
      }, { "x-api-key": secrets.apiKey })
      assert.strictEqual(attested.status, 200, attested.text)
      yield* recorder.ask(`${transfer.url}${quoted.steps[0]?.items[0]?.check?.endpoint ?? ""}`)

      // Endpoints fail, while a deposit is under way.
      const waiting = yield* quote(transfer.url, { ...request, amount: `${10n ** 17n + 1n}` })
      yield* sendDeposit(chains.alpha, key, waiting)
      // Its status is asked for below and not before: what was answered is known in memory.
      const unasked = yield* quote(transfer.url, request)
      for (const [, fail] of failings(secrets, nodes)) {
        fail()
        yield* Effect.all([
          recorder.post(`${transfer.url}/quote`, request),
          recorder.ask(`${transfer.url}/ready`),
          recorder.ask(`${oracle.url}/ready/v1`, { headers: { "x-api-key": secrets.apiKey } }),
          recorder.post(`${oracle.url}/attestations/depository-deposits/v1`, {
            chainId: "alpha",
            transactionId: `0x${"cd".repeat(32)}`
          }, { "x-api-key": secrets.apiKey }),
          Effect.sleep(400)
        ], { concurrency: "unbounded" })
      }
      tellTheTruth(nodes)
      yield* eventually(
        "the transfer ends after all",
        status(transfer.url, waiting),
        ({ status }) => status === "success"
      )

      // The store fails, and holds what cannot be read: a defect of ours.
      // A chain that has just come back may be what a first quote fails for.
      const failing = Effect.map(
        recorder.post(`${transfer.url}/quote`, request, { "idempotency-key": "while-it-fails" }),
        () => transfer.output()
      )
      yield* hideTable(`sqlite:${store}`, "transfers").pipe(
        Effect.andThen(
          eventually("the store's failure is said", failing, (output) => output.includes("store: Transfers.add failed"))
        ),
        Effect.scoped
      )
      yield* changeBeside(`sqlite:${store}`, (opened) => {
        opened.exec("UPDATE transfers SET quote = '{\"s3cret'")
      })
      const defect = yield* recorder.ask(`${transfer.url}${unasked.steps[0]?.items[0]?.check?.endpoint ?? ""}`)
      assert.strictEqual(defect.status, 500, defect.text)

      for (const url of [transfer.url, oracle.url]) {
        assert.include(
          (yield* recorder.ask(`${url}/metrics`, { headers: { "x-api-key": secrets.apiKey } })).text,
          "causeway_http_requests_total"
        )
      }
      // The collector fails too, and is told nothing of it in a way that shows where it is.
      collector.answer(503)
      yield* recorder.ask(`${transfer.url}/lives`)
      yield* eventually(
        "its failure is said",
        Effect.sync(() => transfer.output()),
        (output) => output.includes("traces cannot be sent to the collector")
      )
      yield* Effect.all([transfer.kill("SIGTERM"), oracle.kill("SIGTERM")], { concurrency: "unbounded" })

      // A grep that has looked at nothing proves nothing.
      for (const code of ["200", "204", "400", "401", "404", "405", "413", "415", "500", "503"]) {
        assert.isTrue(recorder.statuses.has(code), code)
      }
      assert.isAbove(collector.spans().length, 500)
      assert.deepStrictEqual(collector.faults(), [])
      assert.isTrue(
        collector.headers().every((headers) =>
          headers["x-team-key"] === secrets.otlpHeader &&
          headers.authorization === `Basic ${btoa(`collector:${secrets.otlpPassword}`)}`
        )
      )
      for (const said of ["failed with a defect", "heads of alpha"]) assert.include(transfer.output(), said)
      assertClean(recorder, secrets, collector, { transfer, oracle })
      tally("secrets looked for", Object.keys(secrets).length)
    })))

  it.live("are not repeated when they are mistyped, nor by a failure to connect at start", () =>
    Effect.scoped(Effect.gen(function*() {
      const secrets = makeSecrets(generatePrivateKey())
      const find = makeLeakFinder(secrets)
      const base = {
        ENVIRONMENT: "local",
        CHAINS: "alpha,beta",
        ALPHA_RPC_URL: markUrl(secrets, "http://127.0.0.1:9"),
        BETA_RPC_URL: markUrl(secrets, "http://127.0.0.1:9"),
        HUB_RPC_URL: markUrl(secrets, "http://127.0.0.1:9")
      }
      const transfer = {
        ...base,
        SOLVER_PRIVATE_KEY: secrets.solverKey,
        DATABASE_URL: "sqlite::memory:",
        TRANSFER_PORT: `${yield* anyFree}`
      }
      const oracle = { ...base, ECDSA_PRIVATE_KEY: secrets.oracleKey, HTTP_PORT: `${yield* anyFree}` }
      const wrong: ReadonlyArray<readonly ["transfer" | "oracle", Readonly<Record<string, string>>]> = [
        ["transfer", {
          ...transfer,
          SOLVER_PRIVATE_KEY: `${secrets.solverKey}0`,
          ALPHA_RPC_URL: markUrl(secrets, "htp://node.example"),
          DATABASE_URL: `mysql://user:${secrets.rpcPassword}@host/db`,
          ADMIN_TOKEN: secrets.wrongToken.slice(0, 20),
          ORACLE_URL: `http://oracle.example|${secrets.apiKey}`,
          OTEL_EXPORTER_OTLP_ENDPOINT: `collector:${secrets.otlpPassword}`,
          OTEL_EXPORTER_OTLP_HEADERS: `x-team-key ${secrets.otlpHeader}`
        }],
        ["transfer", {
          ...transfer,
          SOLVER_FURTHER_PRIVATE_KEYS: `${secrets.furtherKey};${secrets.otherFurtherKey}${secrets.retiredKey}`,
          SOLVER_RETIRED_PRIVATE_KEYS: secrets.retiredKey.slice(2)
        }],
        ["transfer", {
          ...transfer,
          SOLVER_FURTHER_PRIVATE_KEYS: `${secrets.furtherKey};${secrets.solverKey}`,
          SOLVER_RETIRED_PRIVATE_KEYS: `${secrets.retiredKey};${secrets.furtherKey};${secrets.retiredKey}`
        }],
        ["transfer", {
          ...transfer,
          DATABASE_URL: `postgres://user:${secrets.rpcPassword}@127.0.0.1:${yield* anyFree}/db`
        }],
        ["oracle", {
          ...oracle,
          ECDSA_PRIVATE_KEY: secrets.oracleKey.slice(0, -1),
          API_KEYS: `${secrets.apiKey}:a;${secrets.apiKey}:b`,
          ALPHA_RPC_URL: markUrl(secrets, "htp://node.example"),
          OTEL_EXPORTER_OTLP_HEADERS: `x-team-key ${secrets.otlpHeader}`
        }]
      ]
      yield* Effect.forEach(
        wrong,
        Effect.fnUntraced(function*([name, environment]) {
          const host = yield* spawnHost(name, environment)
          assert.strictEqual(yield* host.ended, 1, host.output())
          assert.isNotEmpty(host.output())
          assert.deepStrictEqual(find(name, host.output()), [])
        }),
        { concurrency: "unbounded" }
      )
    })))
})

describe.skipIf(postgres === undefined)("secrets of a service on PostgreSQL", () => {
  it.live("are in no response, log line, metric or trace of API and worker, also when the store fails", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, collector, environment, key, request, secrets } = yield* makeNetwork
      const serving = yield* Scope.make()
      const server = yield* PostgresServer.start(postgres ?? { initdb: "", pgCtl: "" }).pipe(Scope.provide(serving))
      const url = Redacted.value(yield* server.createDatabase.pipe(Scope.provide(serving)))
      const { password } = new URL(url)
      assert.isAtLeast(password.length, 12)
      const api = yield* startHost({ ...yield* environment, DATABASE_URL: url })
      const metrics = yield* anyFree
      const worker = yield* spawnHost("worker", {
        ...yield* environment,
        DATABASE_URL: url,
        RUNNER_PORT: `${yield* anyFree}`,
        WORKER_METRICS_PORT: `${metrics}`
      })
      const recorder = makeRecorder()
      const quoted = yield* quote(api.url, request)
      yield* sendDeposit(chains.alpha, key, quoted)
      assert.strictEqual((yield* ended(api.url, quoted)).status, "success", worker.output())
      yield* Scope.close(serving, Exit.void)
      assert.strictEqual((yield* recorder.post(`${api.url}/quote`, request)).status, 503)
      assert.strictEqual((yield* recorder.ask(`${api.url}/ready`)).status, 503)
      yield* eventually(
        "the worker meets it",
        Effect.sync(() => worker.output()),
        (output) => output.includes("store: ")
      )
      yield* recorder.ask(`${api.url}/metrics`)
      const shown = yield* recorder.ask(`http://127.0.0.1:${metrics}/metrics`)
      for (const name of ["inventory", "workflow_backlog", "chain_lag_blocks", "deposits_seen_total"]) {
        assert.include(shown.text, `causeway_${name}`)
      }
      assert.strictEqual((yield* recorder.ask(`http://127.0.0.1:${metrics}/quote/${secrets.clientPath}`)).status, 404)
      yield* Effect.sleep(1_500)
      assert.isAbove(collector.spans().length, 20)
      assertClean(recorder, secrets, collector, { api, worker }, { password })
    })))
})
