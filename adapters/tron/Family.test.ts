/** What a transfer service needs to serve a Tron chain: what is missing or wrong is named, and no key is shown. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { tron as chain } from "../../src/domain/quote/testing/Chains.ts"
import { tron } from "./Family.ts"

const KEY = `0x${"11".repeat(32)}`

const read = (chains: ReadonlyArray<Chain>, environment: Readonly<Record<string, string>>) => {
  const { transfer } = tron
  if (transfer === undefined) return assert.fail("no transfers")
  return transfer.read(chains).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(environment))
  )
}

const refusal = (environment: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(read([chain], environment)), ({ message }) => message)

describe("transfers on Tron", () => {
  it.effect("need a key where a chain is served, and nothing elsewhere", () =>
    Effect.gen(function*() {
      assert.include(yield* refusal({}), `TRON_SOLVER_PRIVATE_KEY is missing: ${chain.slug} is served`)
      assert.deepStrictEqual((yield* read([], {})).keys, [])
      const { keys } = yield* read([chain], { TRON_SOLVER_PRIVATE_KEY: KEY })
      assert.deepStrictEqual(keys.map((key) => Redacted.value(key)), [KEY])
    }))

  it.effect("name every wrong value, and show no key", () =>
    Effect.gen(function*() {
      const wrong = { TRON_SOLVER_PRIVATE_KEY: `0x${"00".repeat(32)}`, TRON_PAYMENT_MINUTES: "1441" }
      const message = yield* refusal(wrong)
      for (const name of Object.keys(wrong)) assert.include(message, `${name} is not valid`)
      assert.notInclude(message, wrong.TRON_SOLVER_PRIVATE_KEY)
      assert.include(yield* refusal({ TRON_SOLVER_PRIVATE_KEY: KEY, TRON_PAYMENT_MINUTES: "2" }), "3 to 1440")
    }))
})
