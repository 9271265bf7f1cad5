/** The keys that pay (SAFE-6): each wrong, double or shared one is a problem of the start, which shows no key. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Result } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { makeLeakFinder } from "../../observability/testing/Markers.ts"
import { readEnvironment } from "./Environment.ts"

const [solver, one, two, retired, operator] = [
  generatePrivateKey(),
  generatePrivateKey(),
  generatePrivateKey(),
  generatePrivateKey(),
  generatePrivateKey()
]

const right = {
  ENVIRONMENT: "local",
  CHAINS: "alpha,beta",
  ALPHA_RPC_URL: "http://127.0.0.1:9",
  BETA_RPC_URL: "http://127.0.0.1:9",
  DATABASE_URL: "sqlite::memory:",
  SOLVER_PRIVATE_KEY: solver,
  DEPOSIT_ADDRESSES_PRIVATE_KEY: operator
}

const read = (changes: Readonly<Record<string, string>>) =>
  Effect.provide(
    Effect.result(readEnvironment),
    Layer.succeed(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord({ ...right, ...changes }))
  )

const FURTHER = "SOLVER_FURTHER_PRIVATE_KEYS"
const RETIRED = "SOLVER_RETIRED_PRIVATE_KEYS"
const secrets = { solver, one, two, retired, operator }

describe("the keys of further and retired accounts", () => {
  it.effect("are read as written, in their order, and none is needed", () =>
    Effect.gen(function*() {
      const keysOf = (keys: ReadonlyArray<Redacted.Redacted>) => keys.map((key) => Redacted.value(key))
      const none = Result.getOrThrow(yield* read({}))
      assert.deepStrictEqual([none.furtherKeys, none.retiredKeys], [[], []])
      const all = Result.getOrThrow(yield* read({ [FURTHER]: `${two};${one}`, [RETIRED]: retired }))
      assert.deepStrictEqual(keysOf(all.furtherKeys), [two, one])
      assert.deepStrictEqual(keysOf(all.retiredKeys), [retired])
    }))

  const wrong: ReadonlyArray<readonly [what: string, changes: Readonly<Record<string, string>>, says: string]> = [
    ["a key twice", { [FURTHER]: `${one};${two};${one}` }, `${FURTHER} has a key twice`],
    ["a retired key twice", { [RETIRED]: `${one};${one}` }, `${RETIRED} has a key twice`],
    ["the solver's key", { [FURTHER]: `${one};${solver}` }, `${FURTHER} must not be SOLVER_PRIVATE_KEY`],
    ["the operator's key", { [FURTHER]: operator }, `${FURTHER} must not be DEPOSIT_ADDRESSES_PRIVATE_KEY`],
    ["a key that pays and is retired", { [FURTHER]: one, [RETIRED]: one }, `${RETIRED} must not be ${FURTHER}`],
    ["the solver's key as retired", { [RETIRED]: solver }, `${RETIRED} must not be SOLVER_PRIVATE_KEY`],
    ["the same key in capitals", { [FURTHER]: `${one};0x${one.slice(2).toUpperCase()}` }, `${FURTHER} has a key twice`],
    ["a key that is too short", { [FURTHER]: `${one};${two.slice(0, -1)}` }, FURTHER],
    ["an address", { [FURTHER]: privateKeyToAccount(one).address }, FURTHER],
    ["a key without 0x", { [RETIRED]: retired.slice(2) }, RETIRED],
    ["an empty entry", { [FURTHER]: `${one};;${two}` }, FURTHER],
    ["commas", { [FURTHER]: `${one},${two}` }, FURTHER],
    ["zero", { [RETIRED]: `0x${"0".repeat(64)}` }, RETIRED],
    ["one beyond the curve", { [FURTHER]: `0x${"f".repeat(64)}` }, FURTHER]
  ]
  for (const [what, changes, says] of wrong) {
    it.effect(`refuse ${what}, by the names of variables alone`, () =>
      Effect.gen(function*() {
        const refused = yield* read(changes)
        if (Result.isSuccess(refused)) return assert.fail("it was taken")
        const text = `${refused.failure.message}${JSON.stringify(refused.failure)}${String(refused.failure)}`
        assert.include(refused.failure.message, says)
        assert.deepStrictEqual(makeLeakFinder(secrets)("the problem", text), [])
      }))
  }
})
