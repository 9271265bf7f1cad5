/**
 * The telemetry of running hosts: ids on every line, one access line for each request, metrics with bounded labels,
 * traces.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { connect } from "node:net"
import { parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { declaredMetrics, engineMetrics, processMetrics } from "../../scripts/docs/Metrics.ts"
import { fixtureOf } from "../../scripts/testing/FixtureOf.ts"
import { requirePromtool } from "../../scripts/testing/Capability.ts"
import { readFaults } from "../../adapters/quorum/ReadFault.ts"
import { alarms } from "../../src/services/operations/Alarms.ts"
import { steps, stepsOfChains } from "../../src/services/quoting/Steps.ts"
import { anyFree } from "../localnet/nodes/Port.ts"
import { hideTable } from "../transfer/testing/BesideStore.ts"
import { ended, nativeRequest, post, quote, sendDeposit } from "../transfer/testing/Client.ts"
import { get } from "../transfer/testing/Get.ts"
import { startOracleInstance } from "../transfer/testing/HostInstance.ts"
import { eventually } from "../transfer/testing/Misbehaving.ts"
import { startNetwork } from "../transfer/testing/TransferNetwork.ts"
import { attributeOf, startCollector } from "./testing/Collector.ts"
import { linesOf } from "./testing/LogLines.ts"

const OTLP_HEADERS = "x-team=bridge%20team"

const makeRunning = Effect.gen(function*() {
  const network = yield* startNetwork
  const { chains } = network
  const collector = yield* startCollector
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: OTLP_HEADERS,
    OTEL_TRACES_SAMPLER_ARG: "1"
  }
  // As a process: the engine counts in the process, not in a host.
  const host = yield* network.startHost({ ...traced, ADMIN_TOKEN: "an admin token of at least 32 characters" })
  const startOneOracle = Effect.fnUntraced(function*(changes: Readonly<Record<string, string>>) {
    return yield* startOracleInstance({
      ENVIRONMENT: "local",
      CHAINS: "alpha,beta",
      ALPHA_RPC_URL: chains.alpha.url,
      BETA_RPC_URL: chains.beta.url,
      HUB_RPC_URL: "http://127.0.0.1:9",
      ECDSA_PRIVATE_KEY: generatePrivateKey(),
      HTTP_PORT: `${yield* anyFree}`,
      ...changes
    })
  })
  const oracle = yield* startOneOracle({
    ...traced,
    API_KEYS: "first-key:test",
    ACCESS_LOG_RATIO: "1",
    OTEL_SERVICE_NAME: "oracle-under-test"
  })
  const key = chains.users[0] ?? "0x"
  const request = nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, parseEther("0.1"))
  return { ...network, collector, host, key, oracle, request, startOneOracle }
})

class Running extends fixtureOf<Running>()("test/Observability", makeRunning) {}

/** The lines of one HTTP request, once its access line is written. */
const linesOfRequest = (output: () => string, id: string) =>
  eventually(
    `the access line of ${id}`,
    Effect.sync(() => linesOf(output()).filter(({ annotations }) => annotations["httpRequestId"] === id)),
    (lines) => lines.some(({ message }) => message === "request")
  )

layer(Running.layer, { excludeTestServices: true })("running hosts", (it) => {
  it.effect("answer every request with an id: the caller's when it is valid, else a new one", () =>
    Effect.gen(function*() {
      const { host, oracle, request } = yield* Running
      interface Asked {
        readonly method?: string
        readonly body?: string
        readonly headers?: Readonly<Record<string, string>>
      }
      const idOf = (url: string, asked: Asked) =>
        Effect.map(get(url, asked), ({ headers }) => headers.get("x-request-id") ?? "")
      const requests: ReadonlyArray<readonly [string, Asked]> = [
        [`${host.url}/lives`, {}],
        [`${host.url}/nowhere`, {}],
        [`${host.url}/quote`, {}],
        [`${host.url}/quote`, { method: "OPTIONS" }],
        [`${host.url}/quote`, { method: "POST", body: "{", headers: { "content-type": "application/json" } }],
        [`${host.url}/quote`, {
          method: "POST",
          body: JSON.stringify(request),
          headers: { "content-type": "application/json" }
        }],
        [`${oracle.url}/lives/v1`, {}],
        [`${oracle.url}/ready/v1`, {}],
        [`${oracle.url}/nowhere`, { headers: { "x-api-key": "first-key" } }]
      ]
      const own = new Set<string>()
      for (const [url, init] of requests) {
        own.add(yield* idOf(url, init))
        const given = { ...init, headers: { ...init.headers, "x-request-id": "a-Caller_s.own.1" } }
        assert.strictEqual(yield* idOf(url, given), "a-Caller_s.own.1", url)
        for (const insane of ["a b", "\"", "a".repeat(129), "<x>", "ä", "a;b"]) {
          const answered = yield* idOf(url, { ...init, headers: { ...init.headers, "x-request-id": insane } })
          assert.match(answered, /^[0-9a-f-]{36}$/, `${url} ${insane}`)
          own.add(answered)
        }
      }
      assert.strictEqual(own.size, requests.length * 7)
      assert.include(
        (yield* get(`${host.url}/lives`, { headers: { origin: "https://app.example" } })).headers.get(
          "access-control-expose-headers"
        ),
        "X-Request-Id"
      )
    }))

  it.effect("write one access line for each request, with its pattern and never its path", () =>
    Effect.gen(function*() {
      const { host, oracle } = yield* Running
      const cases = [
        [host, "/lives?s3cret-query", "GET", "/lives", 200],
        [host, "/admin/pauses/s3cret-path", "DELETE", "/admin/pauses/:id", 401],
        [host, "/s3cret-path/x", "GET", "unknown", 404],
        [host, "/quote", "PROPFIND", "/quote", 405],
        [oracle, "/ready/v1", "GET", "/ready/v1", 401]
      ] as const
      for (const [index, [running, path, method, route, status]] of cases.entries()) {
        const id = `access-line-${index}`
        yield* get(`${running.url}${path}`, { method, headers: { "x-request-id": id } })
        const lines = yield* linesOfRequest(running.output, id)
        assert.lengthOf(lines, 1)
        const [line] = lines
        const { ms, ...told } = line?.annotations ?? {}
        assert.strictEqual(line?.level, "INFO")
        assert.deepStrictEqual(told, {
          httpRequestId: id,
          method: method === "PROPFIND" ? "other" : method,
          route,
          status
        })
        assert.isTrue(typeof ms === "number" && ms >= 0 && ms < 10_000)
      }
      assert.notInclude(host.output(), "s3cret")
    }))

  it.effect("report a client that leaves before its answer", () =>
    Effect.gen(function*() {
      const { host } = yield* Running
      const { port } = new URL(host.url)
      // It announces a body and never sends it.
      const head =
        "POST /quote HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\nx-request-id: left-early\r\n\r\n{"
      const socket = connect(Number(port), "127.0.0.1")
      yield* Effect.promise(() => new Promise<void>((written) => socket.write(head, () => written())))
      yield* Effect.sleep(300)
      socket.destroy()
      const [line] = yield* linesOfRequest(host.output, "left-early")
      assert.deepStrictEqual([line?.annotations["route"], line?.annotations["status"]], ["/quote", "aborted"])
      assert.include(
        (yield* get(`${host.url}/metrics`)).text,
        "causeway_http_requests_total{route=\"/quote\",method=\"POST\",status=\"aborted\"} 1"
      )
    }))

  it.effect("put a request's id on everything that is logged while it is answered", () =>
    Effect.gen(function*() {
      const { environment, host, request } = yield* Running
      const failed = yield* hideTable(environment["DATABASE_URL"] ?? "", "transfers").pipe(
        Effect.andThen(post(`${host.url}/quote`, request, { "x-request-id": "while-the-store-fails" })),
        Effect.scoped
      )
      assert.strictEqual(failed.status, 503, failed.text)
      const lines = yield* linesOfRequest(host.output, "while-the-store-fails")
      assert.deepStrictEqual(lines.map(({ level, message }) => [level, String(message).replace(/ failed.*/, "")]), [[
        "WARN",
        "store: Transfers.add"
      ], ["WARN", "request"]])
      assert.include(failed.text, String(lines[1]?.annotations["requestId"]))
    }))

  it.effect("show a transfer through API and worker by one id, in the log and in one trace of the filling", () =>
    Effect.gen(function*() {
      const { chains, collector, host, key, request } = yield* Running
      const quoted = yield* quote(host.url, request)
      yield* sendDeposit(chains.alpha, key, quoted)
      assert.strictEqual((yield* ended(host.url, quoted)).status, "success")
      const id = quoted.steps[0]?.requestId ?? ""
      const lines = yield* eventually(
        "the filling ends",
        Effect.sync(() => linesOf(host.output()).filter(({ annotations }) => annotations["requestId"] === id)),
        (all) => all.some(({ message }) => message === "the deposit is filled")
      )
      const routes = new Set(lines.map(({ annotations, message }) => annotations["route"] ?? message))
      assert.deepStrictEqual(
        routes,
        new Set(["/quote", "/intents/status", "a deposit is looked after", "the deposit is filled"])
      )
      for (const { annotations, message } of lines) {
        if (message !== "request") assert.strictEqual(annotations["chain"], "alpha")
      }
      const filling = yield* eventually(
        "the filling's span",
        Effect.sync(() =>
          collector.spans().find((span) => span.name === "Filling" && attributeOf(span, "requestId") === id)
        ),
        (span) => span !== undefined
      )
      const names = new Set(
        collector.spans().filter(({ traceId }) => traceId === filling?.traceId).map(({ name }) => name)
      )
      for (
        const name of [
          "Filling.begin",
          "Filling.confirm",
          "Filling.decide",
          "Treasury.prepare",
          "fill.pay",
          "fill.guard",
          "close"
        ]
      ) assert.isTrue(names.has(name), name)
    }))

  it.effect("send traces of requests by OTLP, by pattern, as children of the caller's traceparent, whatever its flag says", () =>
    Effect.gen(function*() {
      const { collector, host, oracle } = yield* Running
      const traceId = (digit: string) => digit.repeat(32)
      const ask = (url: string, digit: string, flags: string) =>
        get(url, {
          headers: { traceparent: `00-${traceId(digit)}-${"b".repeat(16)}-${flags}`, "x-api-key": "first-key" }
        })
      yield* ask(`${host.url}/intents/status?requestId=0x${"0".repeat(64)}`, "a", "01")
      yield* ask(`${host.url}/lives`, "c", "00")
      yield* ask(`${oracle.url}/ready/v1`, "d", "01")
      const found = yield* eventually(
        "the spans",
        Effect.sync(() =>
          ["a", "c", "d"].map((digit) =>
            collector.spans().find((span) => span.traceId === traceId(digit) && span.kind === 2)
          )
        ),
        (spans) => !spans.includes(undefined)
      )
      const shown = found.map((span) =>
        span === undefined
          ? []
          : [
            span.name,
            span.service,
            span.parentSpanId,
            attributeOf(span, "http.route"),
            attributeOf(span, "http.response.status_code")
          ]
      )
      assert.deepStrictEqual(shown, [
        ["GET /intents/status", "causeway-transfer", "b".repeat(16), "/intents/status", "200"],
        ["GET /lives", "causeway-transfer", "b".repeat(16), "/lives", "200"],
        ["GET /ready/v1", "oracle-under-test", "b".repeat(16), "/ready/v1", "200"]
      ])
      assert.isTrue(
        collector.spans().some((span) => span.traceId === traceId("a") && span.name === "TransferHistory.version")
      )
      assert.deepStrictEqual(collector.faults(), [])
      assert.deepStrictEqual(new Set(collector.paths()), new Set(["/v1/traces"]))
      assert.isTrue(collector.headers().every((headers) => headers["x-team"] === "bridge team"))
      const roots = new Set(
        collector.spans().filter(({ parentSpanId }) => parentSpanId === undefined).map(({ kind }) => kind)
      )
      assert.deepStrictEqual(roots, new Set([2, 5]))
    }))

  it.effect("send no trace that sampling excludes, even if the caller requests one", () =>
    Effect.gen(function*() {
      const { collector, environment, startInstance, startOneOracle } = yield* Running
      const none = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: "0" }
      const { url } = yield* startInstance({
        ...none,
        DATABASE_URL: `${environment["DATABASE_URL"]}.other`,
        TRANSFER_PORT: `${yield* anyFree}`
      })
      const oracle = yield* startOneOracle(none)
      const trace = "e".repeat(32)
      const span = "b".repeat(16)
      for (const path of [`${url}/chains`, `${oracle.url}/lives/v1`]) {
        yield* get(path, { headers: { traceparent: `00-${trace}-${span}-01` } })
        yield* get(path, { headers: { b3: `${trace}-${span}-1` } })
        yield* get(path, { headers: { "x-b3-traceid": trace, "x-b3-spanid": span, "x-b3-sampled": "1" } })
      }
      // Spans are sent every second.
      yield* Effect.sleep("2500 millis")
      assert.deepStrictEqual(
        collector.spans().filter(({ traceId }) => traceId === trace).map(({ name, service }) => [name, service]),
        []
      )
    }).pipe(Effect.scoped))

  it.effect("count requests by pattern, method and class of status, for any requests of strangers", () =>
    Effect.gen(function*() {
      const { host } = yield* Running
      for (let each = 0; each < 20; each += 1) {
        yield* get(`${host.url}/made-up/${each}`, { method: each % 2 === 0 ? "GET" : "MKCOL" })
      }
      const { text } = yield* get(`${host.url}/metrics`)
      const series = text.split("\n").filter((line) => line.startsWith("causeway_http_requests_total{"))
      assert.notInclude(text, "made-up")
      assert.lengthOf(series.filter((line) => line.includes("route=\"unknown\",method=\"other\"")), 1)
      assert.isTrue(
        series.some((line) =>
          line.startsWith("causeway_http_requests_total{route=\"/admin/pauses/:id\",method=\"DELETE\",status=\"4xx\"} ")
        )
      )
      assert.isBelow(series.length, 60)
      const count = text.split("\n").find((line) =>
        line.startsWith("causeway_http_request_duration_seconds_count{route=\"unknown\",method=\"other\"}")
      )
      assert.isAtLeast(Number(count?.split(" ").at(-1)), 10)
    }))

  it.effect("show holdings, work in progress and how far each chain was read", () =>
    Effect.gen(function*() {
      const { host } = yield* Running
      const { text } = yield* get(`${host.url}/metrics`)
      const valueOf = (series: string) =>
        Number(text.split("\n").find((line) => line.startsWith(`causeway_${series} `))?.split(" ").at(-1) ?? Number.NaN)
      const native = "0x0000000000000000000000000000000000000000"
      for (const chain of ["alpha", "beta"]) {
        const held = valueOf(`inventory{chain="${chain}",currency="ETH",address="${native}",holding="account"}`)
        assert.isTrue(held > 990 && held <= 1_000, `${held}`)
        assert.isAbove(valueOf(`chain_head_height{chain="${chain}"}`), 0)
        assert.isBelow(valueOf(`chain_lag_blocks{chain="${chain}"}`), 5)
        assert.isBelow(valueOf(`chain_head_age_seconds{chain="${chain}"}`), 3_600)
      }
      for (const state of ["depositing", "pending", "submitted", "delayed"]) {
        assert.isAtLeast(valueOf(`transfers{status="${state}"}`), 0)
      }
      assert.isAtLeast(valueOf("workflow_backlog"), 0)
    }))

  it.effect("show only metrics that docs/observability.md has, with its words and labels", () =>
    Effect.gen(function*() {
      const { host, oracle } = yield* Running
      yield* post(`${oracle.url}/attestations/depository-deposits/v1`, {
        chainId: "alpha",
        transactionId: `0x${"ab".repeat(32)}`
      }, { "x-api-key": "first-key" })
      const shown = [
        yield* get(`${host.url}/metrics`),
        yield* get(`${oracle.url}/metrics`, { headers: { "x-api-key": "first-key" } })
      ].map(({ text }) => text).join("")
      const documented = new Map(
        [...declaredMetrics(), ...engineMetrics, ...processMetrics].map((metric) => [metric.name, metric])
      )
      const kinds = [...shown.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
      assert.isAbove(kinds.length, 20)
      for (const [, name = "", kind] of kinds) assert.strictEqual(documented.get(name)?.kind, kind, name)
      for (const [, name = "", help] of shown.matchAll(/^# HELP (\S+) (.*)$/gm)) {
        assert.strictEqual(documented.get(name)?.meaning, help, name)
      }
      for (const [, series = "", labels = ""] of shown.matchAll(/^(causeway_\w+)(?:\{(.*)\})? \S+$/gm)) {
        const name = documented.has(series) ? series : series.replace(/_(?:bucket|sum|count)$/, "")
        const names = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label).filter((label) => label !== "le")
        // Only callers whose key has a label are distinguished.
        const expected = (documented.get(name)?.labels ?? []).filter((label) =>
          label !== "caller" || names.includes("caller")
        )
        assert.deepStrictEqual(names, expected, series)
      }
      const seen = new Set(kinds.map(([, name]) => name))
      assert.deepStrictEqual(engineMetrics.map(({ name }) => name).filter((name) => !seen.has(name)), [
        "causeway_effect_cluster_shard_release"
      ])
      assert.deepStrictEqual(processMetrics.map(({ name }) => name).filter((name) => !seen.has(name)), [])
    }))

  it.effect("let Prometheus show the oracle's key as a bearer token, for this page alone", () =>
    Effect.gen(function*() {
      const { oracle } = yield* Running
      const statusOf = (path: string, authorization: string) =>
        Effect.map(get(`${oracle.url}${path}`, { headers: { authorization } }), ({ status }) => status)
      assert.strictEqual(yield* statusOf("/metrics", "Bearer first-key"), 200)
      for (
        const [path, authorization] of [
          ["/metrics", "Bearer another"],
          ["/metrics", "first-key"],
          ["/metrics", "Basic first-key"],
          ["/ready/v1", "Bearer first-key"]
        ] as const
      ) assert.strictEqual(yield* statusOf(path, authorization), 401, `${path} ${authorization}`)
    }))

  const promtool = requirePromtool()
  it.effect.skipIf(promtool === undefined)(
    "show metrics that promtool accepts, with alarms and defects at zero from the start",
    () =>
      Effect.gen(function*() {
        const { chains, host, oracle } = yield* Running
        const pages = [
          yield* get(`${host.url}/metrics`),
          yield* get(`${oracle.url}/metrics`, { headers: { "x-api-key": "first-key" } })
        ].map(({ text }) => text)
        for (const input of pages) {
          const { status, stderr, stdout } = spawnSync(promtool ?? "", ["check", "metrics"], {
            input,
            encoding: "utf8"
          })
          assert.deepStrictEqual([status, stdout, stderr], [0, "", ""])
        }
        const [ofHost = "", ofOracle = ""] = pages
        for (const what of alarms) {
          assert.match(ofHost, new RegExp(`^causeway_alarms_total\\{what="${what}"\\} [0-9]+$`, "m"))
        }
        for (const step of [...steps, ...stepsOfChains.flatMap((each) => [`${each} alpha`, `${each} beta`])]) {
          assert.include(ofHost, `causeway_step_defects_total{step="${step}"} 0`)
        }
        for (
          const loss of ["unattested_refunds_usd_total", "reverted_permits_usd_total", "reverted_calls_usd_total"]
        ) assert.include(ofHost, `causeway_${loss}{chain="alpha"} 0`)
        const { host: node } = new URL(chains.alpha.url)
        assert.include(ofOracle, `causeway_endpoint_dissents_total{chain="alpha",host="${node}"} 0`)
        for (const fault of readFaults) {
          assert.include(ofOracle, `causeway_endpoint_faults_total{chain="alpha",host="${node}",fault="${fault}"} 0`)
        }
        assert.include(
          ofOracle,
          "causeway_http_requests_total{route=\"/attestations/solver-fills/v1\",method=\"POST\",status=\"5xx\"} 0"
        )
      })
  )

  it.effect("are shown by the oracle at METRICS_ADDRESS only, to callers with a key", () =>
    Effect.gen(function*() {
      const { startOneOracle } = yield* Running
      const at = `127.0.0.1:${yield* anyFree}`
      const { url } = yield* startOneOracle({ METRICS_ADDRESS: at, API_KEYS: "a-key:test" })
      const statusOf = (asked: string, key?: string) =>
        Effect.map(get(asked, { headers: key === undefined ? {} : { "x-api-key": key } }), ({ status }) => status)
      assert.deepStrictEqual([
        yield* statusOf(`${url}/metrics`, "a-key"),
        yield* statusOf(`http://${at}/metrics`, "a-key"),
        yield* statusOf(`http://${at}/metrics`)
      ], [404, 200, 401])
      assert.deepStrictEqual([yield* statusOf(`http://${at}/ready/v1`, "a-key"), yield* statusOf(`${url}/lives/v1`)], [
        404,
        200
      ])
    }).pipe(Effect.scoped))

  // The last test, because it makes the collector fail.
  it.effect("continue when the trace collector fails, report it once, and count it", () =>
    Effect.gen(function*() {
      const { collector, host } = yield* Running
      collector.answer(401)
      assert.strictEqual((yield* get(`${host.url}/lives`)).status, 200)
      yield* eventually(
        "it is counted",
        Effect.map(get(`${host.url}/metrics`), ({ text }) => text),
        (text) => text.includes("causeway_trace_export_failures_total{kind=\"401\"}")
      )
      const said = () =>
        linesOf(host.output()).filter(({ message }) => String(message).includes("collector")).map(({ message }) =>
          message
        )
      yield* eventually("it is said", Effect.sync(said), (messages) => messages.length > 0)
      assert.deepStrictEqual(said(), ["traces cannot be sent to the collector (401)"])
    }))
})
