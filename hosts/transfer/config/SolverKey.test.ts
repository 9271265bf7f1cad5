/** Without the solver's key nothing can be signed, so the service does not start: it names the variable, and no key. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Result } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { makeLeakFinder } from "../../observability/testing/Markers.ts"
import { readEnvironment } from "./Environment.ts"

const [solver, operator] = [generatePrivateKey(), generatePrivateKey()]

/** Everything that a start needs beside the solver's key. */
const others = {
  ENVIRONMENT: "local",
  CHAINS: "alpha,beta",
  ALPHA_RPC_URL: "http://127.0.0.1:9",
  BETA_RPC_URL: "http://127.0.0.1:9",
  DATABASE_URL: "sqlite::memory:",
  DEPOSIT_ADDRESSES_PRIVATE_KEY: operator
}

const read = (keys: Readonly<Record<string, string>>) =>
  Effect.provide(
    Effect.result(readEnvironment),
    Layer.succeed(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord({ ...others, ...keys }))
  )

describe("the solver's key", () => {
  it.effect("is all that is missing here", () =>
    Effect.map(read({ SOLVER_PRIVATE_KEY: solver }), (started) => assert.isTrue(Result.isSuccess(started))))

  const wrong: ReadonlyArray<readonly [what: string, keys: Readonly<Record<string, string>>]> = [
    ["unset", {}],
    ["empty", { SOLVER_PRIVATE_KEY: "" }],
    ["too short", { SOLVER_PRIVATE_KEY: solver.slice(0, -1) }],
    ["an address", { SOLVER_PRIVATE_KEY: privateKeyToAccount(solver).address }]
  ]
  for (const [what, keys] of wrong) {
    it.effect(`refuses the start by the variable's name alone where it is ${what}`, () =>
      Effect.gen(function*() {
        const refused = yield* read(keys)
        if (Result.isSuccess(refused)) return assert.fail("it was taken")
        const { message } = refused.failure
        assert.include(message, "SOLVER_PRIVATE_KEY")
        for (const name of Object.keys(others)) assert.notInclude(message, name)
        assert.deepStrictEqual(
          makeLeakFinder({ solver, operator })("the problem", `${message}${String(refused.failure)}`),
          []
        )
      }))
  }
})
