/** What a transfer service needs to serve a Bitcoin chain: each thing that is missing or wrong is named at once. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { ChainSlug } from "../../src/domain/chain/ChainId.ts"
import { bitcoin as chain } from "../../src/domain/quote/testing/Chains.ts"
import { bitcoin } from "./Family.ts"

const KEY = `0x${"11".repeat(32)}`
const whole = { BITCOIN_SOLVER_PRIVATE_KEY: KEY, BITCOIN_ESPLORA_COMPATIBLE_API_URL: "https://explorer.example/api" }

const read = (chains: ReadonlyArray<Chain>, environment: Readonly<Record<string, string>>) => {
  const { transfer } = bitcoin
  if (transfer === undefined) return assert.fail("no transfers")
  return transfer.read(chains).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(environment))
  )
}

const refusal = (chains: ReadonlyArray<Chain>, environment: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(read(chains, environment)), ({ message }) => message)

describe("transfers on Bitcoin", () => {
  it.effect("need a key and an explorer where a chain is served, and nothing elsewhere", () =>
    Effect.gen(function*() {
      const message = yield* refusal([chain], {})
      for (const name of Object.keys(whole)) assert.include(message, `${name} is missing: ${chain.slug} is served`)
      assert.deepStrictEqual((yield* read([], {})).keys, [])
      const { keys } = yield* read([chain], whole)
      assert.deepStrictEqual(keys.map((key) => Redacted.value(key)), [KEY])
    }))

  it.effect("are on one chain, which the explorer shows", () =>
    Effect.gen(function*() {
      const other: Chain = { ...chain, slug: ChainSlug.make("bitcoin-other") }
      assert.include(yield* refusal([chain, other], whole), "leave bitcoin-other out with CHAINS")
    }))

  it.effect("name every wrong value, and show no key", () =>
    Effect.gen(function*() {
      const wrong = {
        BITCOIN_SOLVER_PRIVATE_KEY: `0x${"00".repeat(32)}`,
        BITCOIN_MAX_FEE_RATE: "2001",
        BITCOIN_FEE_BLOCKS: "0",
        BITCOIN_FEE_AGREEMENT: "1.5"
      }
      const message = yield* refusal([chain], { ...whole, ...wrong })
      for (const name of Object.keys(wrong)) assert.include(message, `${name} is not valid`)
      assert.notInclude(message, wrong.BITCOIN_SOLVER_PRIVATE_KEY)
    }))
})
