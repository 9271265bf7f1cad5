/**
 * What deploy/compose.yaml starts, as processes: the files of the images with the packages of production, the variables
 * of the Dockerfiles and of compose.yaml with other addresses, PostgreSQL, Redis, and Prometheus, which is asked each
 * query of Grafana's dashboard. No engine of containers is needed; images are not built here.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseEther } from "viem"
import { generatePrivateKey } from "viem/accounts"
import * as PostgresServer from "../../../adapters/storage/testing/PostgresServer.ts"
import { built, compose } from "../../../scripts/deploy/Compose.ts"
import { sections } from "../../../scripts/deploy/Dashboard.ts"
import { requirePostgres, requirePrometheus, requireRedis } from "../../../scripts/testing/Capability.ts"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { ended, nativeRequest, quote, sendDeposit } from "../../transfer/testing/Client.ts"
import { get } from "../../transfer/testing/Get.ts"
import { NOBODY, spawnHost } from "../../transfer/testing/HostProcess.ts"
import type { HostProcess } from "../../transfer/testing/HostProcess.ts"
import { eventually } from "../../transfer/testing/Misbehaving.ts"
import * as RedisServer from "../../transfer/testing/RedisServer.ts"
import { startNetwork } from "../../transfer/testing/TransferNetwork.ts"
import { untilAnswers } from "../../transfer/testing/UntilAnswers.ts"
import { buildImage, preserveLinks } from "./testing/Image.ts"
import { startPrometheus } from "./testing/PrometheusServer.ts"

const postgres = requirePostgres()
const redis = requireRedis()
const prometheus = requirePrometheus()

const ORACLE_KEY = "a-key-of-the-oracle"

type Variables = Readonly<Record<string, string>>

/**
 * The variables of one of compose.yaml's services. `own`: those of its file of variables. `addresses`: values for this
 * machine, of variables that the Dockerfile or compose.yaml sets and of no others.
 */
const variablesOf = (service: string, own: Variables, addresses: Variables): Variables => {
  const set = { ...built.get(service)?.environment, ...compose.services[service]?.environment }
  for (const name of Object.keys(addresses)) assert.property(set, name, `${service} is given ${name}`)
  return { ...preserveLinks, ...own, ...set, ...addresses }
}

/** prometheus.yml, asking often, at the addresses of this machine, and without the rules. */
const configurationAt = (addresses: Variables): string => {
  const file = readFileSync(join(import.meta.dirname, "../../../deploy/prometheus/prometheus.yml"), "utf8")
  return Object.entries(addresses).reduce(
    (text, [from, to]) => {
      assert.include(text, `"${from}"`)
      return text.replaceAll(`"${from}"`, `"${to}"`)
    },
    file.replaceAll("15s", "1s").replace(/^rule_files: .*$/mu, "").replace(
      "credentials_file: oracle-key",
      `credentials: ${ORACLE_KEY}`
    )
  )
}

/** Waits until it answers. If it ends instead, fails with what it said. */
const untilUp = (host: HostProcess, path: string) =>
  Effect.raceFirst(
    untilAnswers(`${host.url}${path}`),
    Effect.flatMap(host.ended, () => Effect.die(new Error(`the host ended:\n${host.output()}`)))
  )

const start = Effect.gen(function*() {
  const { chains, environment, key, user } = yield* startNetwork
  const image = yield* buildImage
  const { DATABASE_URL: _, DEPOSIT_ADDRESSES_PRIVATE_KEY: operatorKey = "", TRANSFER_PORT: __, ...shared } = environment
  const [server, cache] = yield* Effect.all([
    PostgresServer.start(postgres ?? { initdb: "", pgCtl: "" }),
    RedisServer.start(redis ?? "")
  ], { concurrency: "unbounded" })
  const store = { DATABASE_URL: Redacted.value(yield* server.createDatabase), REDIS_URL: cache.url }
  const free = Effect.map(anyFree, (port) => `${port}`)
  const [apiPort, apiMetrics, workerMetrics, runner, oraclePort, oracleMetrics] = yield* Effect.all([
    free,
    free,
    free,
    free,
    free,
    free
  ])
  const loopback = "127.0.0.1"
  const api = yield* spawnHost(
    "transfer",
    variablesOf("transfer", shared, {
      ...store,
      TRANSFER_HOST: loopback,
      TRANSFER_PORT: apiPort,
      METRICS_ADDRESS: `${loopback}:${apiMetrics}`
    }),
    image
  )
  yield* untilUp(api, "/ready")
  const worker = yield* spawnHost(
    "worker",
    variablesOf("worker", { ...shared, DEPOSIT_ADDRESSES_PRIVATE_KEY: operatorKey }, {
      ...store,
      TRANSFER_HOST: loopback,
      RUNNER_HOST: loopback,
      RUNNER_PORT: runner,
      WORKER_METRICS_PORT: workerMetrics
    }),
    image
  )
  const oracle = yield* spawnHost(
    "oracle",
    variablesOf("oracle", {
      ENVIRONMENT: "local",
      CHAINS: "alpha,beta",
      ALPHA_RPC_URL: chains.alpha.url,
      BETA_RPC_URL: chains.beta.url,
      HUB_RPC_URL: "http://127.0.0.1:9",
      HUB_ALLOCATOR: NOBODY,
      ECDSA_PRIVATE_KEY: generatePrivateKey(),
      API_KEYS: `${ORACLE_KEY}:prometheus`,
      HTTP_PORT: oraclePort
    }, { HTTP_HOST: loopback, METRICS_ADDRESS: `${loopback}:${oracleMetrics}` }),
    image
  )
  yield* untilUp(oracle, "/lives/v1")
  const { query } = yield* startPrometheus(
    prometheus ?? "",
    configurationAt({
      "transfer:9464": `${loopback}:${apiMetrics}`,
      "worker:9464": `${loopback}:${workerMetrics}`,
      "oracle:9464": `${loopback}:${oracleMetrics}`
    })
  )
  return { api, chains, key: key(0), oracle, query, user: user(0), worker, workerMetrics }
})

/** Nothing of these is there while all is well. */
const ofTrouble =
  /alarms_total|step_defects|inventory_low|dissents|faults_total|webhooks_total|oracle_answers|settlement|usd_total/

describe.skipIf(postgres === undefined || redis === undefined || prometheus === undefined)("the kit", () => {
  it.live(
    "makes a transfer, serves the dashboard, ends in good order, and answers every query of the dashboard",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { api, chains, key, oracle, query, user, worker, workerMetrics } = yield* start
        const first = yield* quote(api.url, nativeRequest(user, chains.alpha, chains.beta, parseEther("0.1")))
        yield* sendDeposit(chains.alpha, key, first)
        assert.strictEqual((yield* ended(api.url, first)).status, "success", worker.output())
        assert.strictEqual((yield* get(`http://127.0.0.1:${workerMetrics}/lives`)).status, 200)

        for (
          const [path, content] of [["", "dashboard/app.js"], ["/app.js", "fetch("], ["/app.css", "body"]] as const
        ) {
          const served = yield* get(`${api.url}/dashboard${path}`)
          assert.strictEqual(served.status, 200, served.text)
          assert.include(served.text, content)
        }

        for (const { panels } of sections) {
          for (const { queries, title } of panels) {
            for (const { expr } of queries) {
              const asked = expr.replaceAll("$__rate_interval", "10s")
              if (ofTrouble.test(expr)) yield* query(asked)
              else yield* eventually(`${title}: ${asked}`, query(asked), (series) => series.length > 0)
            }
          }
        }
        yield* eventually("all three are up", query("sum(up)"), ([sum]) => sum?.value[1] === "3")

        for (const host of [api, worker, oracle]) assert.strictEqual(yield* host.kill("SIGTERM"), 0, host.output())
      }))
  )
})
