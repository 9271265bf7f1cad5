/** The oracle's environment: all problems are listed in one message, which repeats no value. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { readOracleEnvironment } from "./Environment.ts"

const KEY = `0x${"2a".repeat(32)}`
const right = {
  ENVIRONMENT: "local",
  CHAINS: "alpha",
  ALPHA_RPC_URL: "http://127.0.0.1:1",
  HUB_RPC_URL: "http://127.0.0.1:2",
  HUB_ALLOCATOR: `0x${"a1".repeat(20)}`,
  ECDSA_PRIVATE_KEY: KEY
}
const signer = `0x${"11".repeat(20)}`

const readFrom = (environment: Readonly<Record<string, string>>) =>
  Effect.provideService(
    readOracleEnvironment,
    ConfigProvider.ConfigProvider,
    ConfigProvider.fromEnvRecord({ ...right, ...environment })
  )

const refusal = (environment: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(readFrom(environment)), ({ message }) => message)

describe("the oracle's environment", () => {
  it.effect("names everything that is wrong in one message", () =>
    Effect.gen(function*() {
      const wrong = {
        ENVIRONMENT: "s3cret!",
        ECDSA_PRIVATE_KEY: "s3cret",
        API_KEYS: "s3cret:a;s3cret:b",
        HTTP_PORT: "s3cret",
        PORT: "70000",
        REQUIRE_RPC_QUORUM: "s3cret",
        SHADOW_MODE: "s3cret",
        PEERS: "s3cret",
        PEER_REQUEST_TIMEOUT_MS: "60001",
        ORACLE_SIGNERS: "s3cret",
        ORACLE_SIGNERS_THRESHOLD: "1.5",
        SHUTDOWN_DELAY_SECONDS: "s3cret",
        ACCESS_LOG_RATIO: "s3cret",
        OTEL_EXPORTER_OTLP_ENDPOINT: "s3cret",
        OTEL_TRACES_SAMPLER_ARG: "s3cret"
      }
      const message = yield* refusal(wrong)
      for (const name of Object.keys(wrong)) assert.include(message, name)
      assert.notInclude(message, "s3cret")
      const noModule = yield* refusal({ SIGNING_MODULE: "s3cret" })
      assert.include(noModule, "SIGNING_MODULE")
      assert.notInclude(noModule, "s3cret")
    }))

  it.effect("waits for peers for 5 seconds, for all of them and for any signer, by default", () =>
    Effect.gen(function*() {
      const { peering } = yield* readFrom({ PEERS: "https://a.example|k" })
      assert.deepStrictEqual([peering.timeoutMs, peering.threshold, peering.allowed, peering.entries.length], [
        5_000,
        undefined,
        undefined,
        1
      ])
      const told = (yield* readFrom({
        PEERS: "https://a.example|k",
        ORACLE_SIGNERS: signer,
        ORACLE_SIGNERS_THRESHOLD: "2",
        PEER_REQUEST_TIMEOUT_MS: "300"
      })).peering
      assert.deepStrictEqual([told.timeoutMs, told.threshold, [...told.allowed ?? []].map(String)], [300, 2, [signer]])
      assert.notInclude(JSON.stringify(told.entries), "a.example/")
      assert.isTrue(told.entries.every(({ key }) => Redacted.isRedacted(key)))
    }))

  it.effect("refuses a threshold that can never be reached", () =>
    Effect.gen(function*() {
      const two = "https://a.example|a;https://b.example|b"
      for (
        const [most, environment] of [
          [1, { ORACLE_SIGNERS_THRESHOLD: "2" }],
          [1, { ORACLE_SIGNERS_THRESHOLD: "2", PEERS: "https://a.example|a|shadow" }],
          [3, { ORACLE_SIGNERS_THRESHOLD: "4", PEERS: two }],
          [2, { ORACLE_SIGNERS_THRESHOLD: "3", PEERS: two, ORACLE_SIGNERS: signer }]
        ] as const
      ) assert.include(yield* refusal(environment), `at most ${most} can sign`)
      yield* readFrom({ ORACLE_SIGNERS_THRESHOLD: "3", PEERS: two })
      yield* readFrom({ ORACLE_SIGNERS_THRESHOLD: "1" })
      assert.include(yield* refusal({ SHADOW_MODE: "true", ORACLE_SIGNERS_THRESHOLD: "1" }), "SHADOW_MODE")
    }))
})
